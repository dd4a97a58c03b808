import os

from flask import Flask, request

app = Flask(__name__)


def run(value):
    match value:
        case [first, second]:
            os.system(first)  # safe


@app.route("/")
def index():
    run(["ls", request.args["name"]])  # source: a
    return "ok"
