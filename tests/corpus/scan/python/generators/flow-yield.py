import os

from flask import Flask, request

app = Flask(__name__)


def commands(name):
    yield "ls"
    yield name


@app.route("/")
def index():
    for command in commands(request.args["name"]):  # source: a
        os.system(command)  # sink: command-injection a
    return "ok"
