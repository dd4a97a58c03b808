import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    table = {}
    table["safe"] = "ls"
    table["command"] = request.args["name"]  # source: a
    os.system(table["command"])  # sink: command-injection a
    return "ok"
