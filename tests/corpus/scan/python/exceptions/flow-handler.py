import os

from flask import Flask, request

app = Flask(__name__)


def parse(name):
    try:
        int(name)
    except ValueError:
        os.system(name)  # sink: command-injection a


@app.route("/")
def index():
    parse(request.args["name"])  # source: a
    return "ok"
