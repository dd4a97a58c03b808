import os

from flask import Flask, request

app = Flask(__name__)


class Runner:
    def start(self, command):
        os.system(command)  # safe


class Other:
    def start(self, command):
        print(command)


def work(runner: Other, command: str):
    runner.start(command)


@app.route("/")
def index():
    Runner().start("ls")
    work(app.config["runner"], request.args["name"])  # source: a
    return "ok"
