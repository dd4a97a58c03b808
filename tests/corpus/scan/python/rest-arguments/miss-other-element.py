import os

from flask import Flask, request

app = Flask(__name__)


def run(first, second):
    os.system(first)  # safe


@app.route("/")
def index():
    parts = ["ls", request.args["name"]]  # source: a
    run(*parts)
    return "ok"
