import os

from flask import Flask, request

app = Flask(__name__)


def parse(name):
    command = "ls"
    try:
        command = name
    finally:
        os.system(command)  # sink: command-injection a


@app.route("/")
def index():
    parse(request.args["name"])  # source: a
    return "ok"
