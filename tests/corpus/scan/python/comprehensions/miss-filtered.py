import os

from flask import Flask, request

app = Flask(__name__)


def build(names):
    return [name for name in names if name in ("a", "b")]


@app.route("/")
def index():
    for command in build([request.args["name"]]):  # source: a
        os.system(command)  # safe
    return "ok"
