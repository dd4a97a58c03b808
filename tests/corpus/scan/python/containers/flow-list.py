import os

from flask import Flask, request

app = Flask(__name__)


def build(name):
    parts = ["ls"]
    parts.append(name)
    parts.pop(0)
    return parts[0]


@app.route("/")
def index():
    os.system(build(request.args["name"]))  # source: a  # sink: command-injection a
    return "ok"
