import os

from flask import Flask, request

app = Flask(__name__)


def build(names):
    return ["ls " + name for name in names if name]


@app.route("/")
def index():
    for command in build([request.args["name"]]):  # source: a
        os.system(command)  # sink: command-injection a
    return "ok"
