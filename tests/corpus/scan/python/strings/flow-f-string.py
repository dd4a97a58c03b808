import os

from flask import Flask, request

app = Flask(__name__)


def build(name):
    return f"ls {name}"


@app.route("/")
def index():
    os.system(build(request.args["name"]))  # source: a  # sink: command-injection a
    return "ok"
