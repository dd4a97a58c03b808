import os

from flask import Flask, request

app = Flask(__name__)


def parts(name):
    return ["a", "b", name]


@app.route("/")
def index():
    first, *rest = parts(request.args["name"])  # source: a
    os.system(rest[1])  # sink: command-injection a
    return "ok"
