import os

from flask import Flask, request

app = Flask(__name__)


def build(table):
    return table.get("command", "ls")


@app.route("/")
def index():
    os.system(build({"command": request.args["name"]}))  # source: a  # sink: command-injection a
    return "ok"
