import os

from flask import Flask, request

app = Flask(__name__)


import functools


def run(shell, command):
    os.system(command)  # sink: command-injection a


@app.route("/")
def index():
    start = functools.partial(run, "sh")
    start(request.args["name"])  # source: a
    return "ok"
