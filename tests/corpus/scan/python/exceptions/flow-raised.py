import os

from flask import Flask, request

app = Flask(__name__)


def fail(name):
    raise ValueError(name)


@app.route("/")
def index():
    try:
        fail(request.args["name"])  # source: a
    except ValueError as error:
        os.system(str(error))  # sink: command-injection a
    return "ok"
