import os

from flask import Flask, request

app = Flask(__name__)


from dataclasses import dataclass


@dataclass(frozen=True)
class Job:
    name: str
    command: str = "ls"


def run(job):
    os.system(job.command)  # sink: command-injection a


@app.route("/")
def index():
    run(Job(command=request.args["name"], name="a"))  # source: a
    return "ok"
