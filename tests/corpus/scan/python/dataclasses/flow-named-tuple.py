import os

from flask import Flask, request

app = Flask(__name__)


from typing import NamedTuple


class Job(NamedTuple):
    name: str
    command: str


def run(job):
    name, command = job
    os.system(command)  # sink: command-injection a


@app.route("/")
def index():
    run(Job("a", request.args["name"]))  # source: a
    return "ok"
