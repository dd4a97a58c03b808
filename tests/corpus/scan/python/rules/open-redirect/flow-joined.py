from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/")
def index():
    host = request.args["host"]  # source: a
    return redirect("https://" + host)  # sink: open-redirect a
