import os

from flask import Flask, request

app = Flask(__name__)


from shell import Runner


def work(runner: Runner, command: str):
    runner.start(command)


@app.route("/")
def index():
    work(app.config["runner"], request.args["name"])  # source: a
    return "ok"
