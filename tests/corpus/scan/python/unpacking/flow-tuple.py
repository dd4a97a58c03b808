import os

from flask import Flask, request

app = Flask(__name__)


def pair(name):
    return "ls", name


@app.route("/")
def index():
    first, second = pair(request.args["name"])  # source: a
    os.system(second)  # sink: command-injection a
    return "ok"
