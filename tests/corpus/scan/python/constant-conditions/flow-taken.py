import os

from flask import Flask, request

app = Flask(__name__)


def build(name):
    number = 106
    if 7 * 42 - number > 100:
        command = name
    else:
        command = "ls"
    return command


@app.route("/")
def index():
    os.system(build(request.args["name"]))  # source: a  # sink: command-injection a
    return "ok"
