import os
from collections import namedtuple

from flask import Flask, request

app = Flask(__name__)

Job = namedtuple("Job", ["name", "command"])


def make(text):
    return Job(text, "ls")


@app.route("/")
def index():
    job = make(request.args["c"])
    os.system(job.command)  # safe
    return "ok"
