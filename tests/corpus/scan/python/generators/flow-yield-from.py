import os

from flask import Flask, request

app = Flask(__name__)


def inner(name):
    yield name


def outer(name):
    yield from inner(name)


@app.route("/")
def index():
    for command in outer(request.args["name"]):  # source: a
        os.system(command)  # sink: command-injection a
    return "ok"
