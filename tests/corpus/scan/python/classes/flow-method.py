import os

from flask import Flask, request

app = Flask(__name__)


class Runner:
    def run(self, command):
        os.system(command)  # sink: command-injection a


@app.route("/")
def index():
    runner = Runner()
    runner.run(request.args["name"])  # source: a
    return "ok"
