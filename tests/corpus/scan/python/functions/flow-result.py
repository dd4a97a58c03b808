import os

from flask import Flask, request

app = Flask(__name__)


def read():
    return request.args["name"]  # source: a


@app.route("/")
def index():
    os.system(read())  # sink: command-injection a
    return "ok"
