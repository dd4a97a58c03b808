import os

from flask import Flask, request

app = Flask(__name__)


class Runner:
    def __call__(self, command):
        os.system(command)  # sink: command-injection a


@app.route("/")
def index():
    run = Runner()
    run(request.args["name"])  # source: a
    return "ok"
