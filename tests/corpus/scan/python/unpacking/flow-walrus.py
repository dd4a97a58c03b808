import os

from flask import Flask, request

app = Flask(__name__)


def run():
    if (name := request.args["name"]):  # source: a
        os.system(name)  # sink: command-injection a


@app.route("/")
def index():
    run()
    return "ok"
