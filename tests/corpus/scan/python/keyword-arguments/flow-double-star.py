import os

from flask import Flask, request

app = Flask(__name__)


def run(command, shell):
    os.system(command)  # sink: command-injection a


@app.route("/")
def index():
    options = {"command": request.args["name"], "shell": "sh"}  # source: a
    run(**options)
    return "ok"
