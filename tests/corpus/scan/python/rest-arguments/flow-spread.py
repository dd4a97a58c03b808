import os

from flask import Flask, request

app = Flask(__name__)


def run(first, second):
    os.system(second)  # sink: command-injection a


@app.route("/")
def index():
    parts = ["ls", request.args["name"]]  # source: a
    run(*parts)
    return "ok"
