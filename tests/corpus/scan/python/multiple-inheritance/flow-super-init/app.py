import os

from flask import Flask, request

from parts import Kept, Named

app = Flask(__name__)


class Job(Named, Kept):
    pass


@app.route("/")
def index():
    job = Job(request.args["c"])  # source: a
    os.system(job.command)  # sink: command-injection a
    return "ok"
