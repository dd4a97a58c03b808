import os

from flask import Flask, request

app = Flask(__name__)


def build(names):
    return {name: "ls " + name for name in names}


@app.route("/")
def index():
    for command in build([request.args["name"]]).values():  # source: a
        os.system(command)  # sink: command-injection a
    return "ok"
