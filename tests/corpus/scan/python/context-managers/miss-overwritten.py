import os

from flask import Flask, request

app = Flask(__name__)


def run(name):
    with open("log") as log:
        name = "ls"
    os.system(name)  # safe


@app.route("/")
def index():
    run(request.args["name"])  # source: a
    return "ok"
