import os

from flask import Flask, request

app = Flask(__name__)


def run(shell, command):
    os.system(command)  # sink: command-injection a


@app.route("/")
def index():
    run(command=request.args["name"], shell="sh")  # source: a
    return "ok"
