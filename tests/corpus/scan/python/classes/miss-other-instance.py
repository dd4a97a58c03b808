import os

from flask import Flask, request

app = Flask(__name__)


class Job:
    def __init__(self, command):
        self.command = command


@app.route("/")
def index():
    safe = Job("ls")
    unsafe = Job(request.args["name"])  # source: a
    os.system(safe.command)  # safe
    return "ok"
