import os

from flask import Flask, request

app = Flask(__name__)


from dataclasses import dataclass


@dataclass
class Job:
    name: str
    command: str


def run(job):
    os.system(job.command)  # sink: command-injection a


@app.route("/")
def index():
    run(Job("a", request.args["name"]))  # source: a
    return "ok"
