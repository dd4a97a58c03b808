import os

from flask import Flask, request

app = Flask(__name__)


from typing import Optional


class Runner:
    def start(self, command):
        os.system(command)  # sink: command-injection a


def work(command: str, runner: Optional[Runner] = None):
    runner.start(command)


@app.route("/")
def index():
    work(request.args["name"], app.config["runner"])  # source: a
    return "ok"
