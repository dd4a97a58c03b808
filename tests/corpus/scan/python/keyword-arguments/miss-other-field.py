import os

from flask import Flask, request

app = Flask(__name__)


def run(command, shell):
    os.system(command)  # safe


@app.route("/")
def index():
    options = {"command": "ls", "shell": request.args["name"]}  # source: a
    run(**options)
    return "ok"
