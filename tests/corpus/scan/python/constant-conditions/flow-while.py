import os

from flask import Flask, request

app = Flask(__name__)


def run(text):
    command = "ls"
    count = 2
    while count < 3:
        command = text
        count += 1
    os.system(command)  # sink: command-injection a


@app.route("/")
def index():
    run(request.args["c"])  # source: a
    return "ok"
