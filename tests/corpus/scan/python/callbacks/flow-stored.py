import os

from flask import Flask, request

app = Flask(__name__)


def run(command):
    os.system(command)  # sink: command-injection a


TABLE = {"run": run}


@app.route("/")
def index():
    TABLE["run"](request.args["name"])  # source: a
    return "ok"
