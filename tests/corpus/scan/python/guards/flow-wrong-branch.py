import os

from flask import Flask, request

app = Flask(__name__)


def allowed(name):
    return name in ("a", "b")


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    if not allowed(name):
        os.system(name)  # sink: command-injection a
    return "ok"
