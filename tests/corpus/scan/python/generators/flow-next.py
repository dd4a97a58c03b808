import os

from flask import Flask, request

app = Flask(__name__)


def commands(name):
    yield name


@app.route("/")
def index():
    os.system(next(commands(request.args["name"])))  # source: a  # sink: command-injection a
    return "ok"
