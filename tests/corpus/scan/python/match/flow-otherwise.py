import os

from flask import Flask, request

app = Flask(__name__)


def run(value):
    match value:
        case "a":
            return
        case other:
            os.system(other)  # sink: command-injection a


@app.route("/")
def index():
    run(request.args["name"])  # source: a
    return "ok"
