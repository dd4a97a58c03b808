import os

from flask import Flask, request

app = Flask(__name__)


def commands(name):
    yield "ls"


@app.route("/")
def index():
    for command in commands(request.args["name"]):  # source: a
        os.system(command)  # safe
    return "ok"
