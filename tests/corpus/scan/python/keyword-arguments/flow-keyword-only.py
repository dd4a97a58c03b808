import os

from flask import Flask, request

app = Flask(__name__)


def run(*parts, command):
    os.system(command)  # sink: command-injection a


@app.route("/")
def index():
    run("a", "b", command=request.args["name"])  # source: a
    return "ok"
