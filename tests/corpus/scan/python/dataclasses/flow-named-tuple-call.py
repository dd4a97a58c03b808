import os
from collections import namedtuple

from flask import Flask, request

app = Flask(__name__)

Job = namedtuple("Job", ["name", "command"])


def make(text):
    return Job("job", text)


@app.route("/")
def index():
    job = make(request.args["c"])  # source: a
    os.system(job.command)  # sink: command-injection a
    return "ok"
