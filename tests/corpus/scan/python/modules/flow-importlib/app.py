import os

from flask import Flask, request

app = Flask(__name__)


import importlib

shell = importlib.import_module("shell")


@app.route("/")
def index():
    shell.run(request.args["name"])  # source: a
    return "ok"
