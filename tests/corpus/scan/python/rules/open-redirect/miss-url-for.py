from flask import Flask, redirect, request, url_for

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    return redirect(url_for("show", name=name))  # safe
