import os

from flask import Flask, request

app = Flask(__name__)


class Runner:
    def start(self, command):
        os.system(command)  # sink: command-injection a


class Other:
    def start(self, command):
        print(command)


@app.route("/")
def index():
    work(make(), request.args["name"])  # source: a
    return "ok"


def work(runner: Runner, command: str):
    runner.start(command)


def make():
    return globals()["runner"]
