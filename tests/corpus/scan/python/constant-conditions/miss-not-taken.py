import os

from flask import Flask, request

app = Flask(__name__)


def build(name):
    number = 86
    if 7 * 42 - number > 500:
        command = name
    else:
        command = "ls"
    return command


@app.route("/")
def index():
    os.system(build(request.args["name"]))  # source: a  # safe
    return "ok"
