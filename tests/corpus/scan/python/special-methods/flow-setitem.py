import os

from flask import Flask, request

app = Flask(__name__)


class Runner:
    def __setitem__(self, key, value):
        os.system(value)  # sink: command-injection a


@app.route("/")
def index():
    runner = Runner()
    runner[request.path] = request.args["value"]  # source: a
    return "ok"
