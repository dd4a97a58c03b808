import os

from flask import Flask, request

app = Flask(__name__)


def run(name):
    first, second = name, "ls"
    first, second = second, first
    os.system(first)  # safe


@app.route("/")
def index():
    run(request.args["name"])  # source: a
    return "ok"
