import os

from flask import Flask, request

app = Flask(__name__)


def build(names):
    return " ".join(name.strip() for name in names)


@app.route("/")
def index():
    os.system(build([request.args["name"]]))  # source: a  # sink: command-injection a
    return "ok"
