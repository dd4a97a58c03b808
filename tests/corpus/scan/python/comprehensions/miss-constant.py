import os

from flask import Flask, request

app = Flask(__name__)


def build(names):
    return ["ls" for name in names]


@app.route("/")
def index():
    for command in build([request.args["name"]]):  # source: a
        os.system(command)  # safe
    return "ok"
