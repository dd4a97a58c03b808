import os

from flask import Flask, request

app = Flask(__name__)


from dataclasses import dataclass


@dataclass
class Job:
    name: str
    command: str


def run(job):
    os.system(job.command)  # safe


@app.route("/")
def index():
    run(Job(request.args["name"], "ls"))  # source: a
    return "ok"
