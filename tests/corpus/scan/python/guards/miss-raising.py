import os

from flask import Flask, request

app = Flask(__name__)


import re

NAME = re.compile(r"^[a-z]+$")


def check(name):
    if not NAME.match(name):
        raise ValueError(name)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    check(name)
    os.system("ls " + name)  # safe
    return "ok"
