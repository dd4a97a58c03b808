import os

from flask import Flask, request

app = Flask(__name__)


def run(**options):
    os.system(options["command"])  # sink: command-injection a


@app.route("/")
def index():
    run(command=request.args["name"])  # source: a
    return "ok"
