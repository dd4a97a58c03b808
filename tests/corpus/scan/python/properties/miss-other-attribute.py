import os

from flask import Flask, request

app = Flask(__name__)


class Job:
    def __init__(self, command):
        self.command = command
        self.safe = "ls"


@app.route("/")
def index():
    job = Job(request.args["name"])  # source: a
    os.system(getattr(job, "safe"))  # safe
    return "ok"
