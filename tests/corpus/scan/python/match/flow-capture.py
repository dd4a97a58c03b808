import os

from flask import Flask, request

app = Flask(__name__)


def run(value):
    match value:
        case {"command": command}:
            os.system(command)  # sink: command-injection a
        case _:
            pass


@app.route("/")
def index():
    run({"command": request.args["name"]})  # source: a
    return "ok"
