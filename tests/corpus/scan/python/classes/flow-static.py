import os

from flask import Flask, request

app = Flask(__name__)


class Runner:
    @staticmethod
    def run(command):
        os.system(command)  # sink: command-injection a

    @classmethod
    def start(cls, command):
        cls.run(command)


@app.route("/")
def index():
    Runner.start(request.args["name"])  # source: a
    return "ok"
