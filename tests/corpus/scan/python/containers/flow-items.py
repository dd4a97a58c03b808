import os

from flask import Flask, request

app = Flask(__name__)


def build(table):
    for key, value in table.items():
        return value


@app.route("/")
def index():
    os.system(build({"command": request.args["name"]}))  # source: a  # sink: command-injection a
    return "ok"
