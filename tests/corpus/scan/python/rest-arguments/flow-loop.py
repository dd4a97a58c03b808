import os

from flask import Flask, request

app = Flask(__name__)


def run(*parts):
    for part in parts:
        os.system(part)  # sink: command-injection a


@app.route("/")
def index():
    run("ls", request.args["name"])  # source: a
    return "ok"
