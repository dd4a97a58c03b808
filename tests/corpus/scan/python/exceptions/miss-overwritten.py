import os

from flask import Flask, request

app = Flask(__name__)


def parse(name):
    try:
        command = name
    finally:
        command = "ls"
    os.system(command)  # safe


@app.route("/")
def index():
    parse(request.args["name"])  # source: a
    return "ok"
