import os

from flask import Flask, request

app = Flask(__name__)


def commands(name):
    yield name


@app.route("/")
def index():
    commands(request.args["name"])  # source: a
    for command in commands("ls"):
        os.system(command)  # safe
    return "ok"
