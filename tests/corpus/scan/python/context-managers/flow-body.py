import os

from flask import Flask, request

app = Flask(__name__)


def run(name):
    with open("log") as log:
        log.write("run")
        os.system(name)  # sink: command-injection a


@app.route("/")
def index():
    run(request.args["name"])  # source: a
    return "ok"
