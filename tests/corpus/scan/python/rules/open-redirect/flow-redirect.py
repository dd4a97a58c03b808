from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/")
def index():
    target = request.args["next"]  # source: a
    return redirect(target)  # sink: open-redirect a
