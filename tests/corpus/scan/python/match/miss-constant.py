import os

from flask import Flask, request

app = Flask(__name__)


def run(value):
    match value:
        case "a" | "b":
            os.system(value)  # safe
        case _:
            return


@app.route("/")
def index():
    run(request.args["name"])  # source: a
    return "ok"
