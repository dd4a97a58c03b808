import os

from flask import Flask, request

app = Flask(__name__)


import re


def check(name):
    if not re.search("[a-z]", name):
        raise ValueError(name)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    check(name)
    os.system(name)  # sink: command-injection a
    return "ok"
