import os

from flask import Flask, request

app = Flask(__name__)


def build(table):
    return table.get("safe")


@app.route("/")
def index():
    table = {"safe": "ls", "command": request.args["name"]}  # source: a
    os.system(build(table))  # safe
    return "ok"
