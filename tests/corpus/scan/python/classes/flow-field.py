import os

from flask import Flask, request

app = Flask(__name__)


class Job:
    def __init__(self, command):
        self.command = command

    def run(self):
        os.system(self.command)  # sink: command-injection a


@app.route("/")
def index():
    Job(request.args["name"]).run()  # source: a
    return "ok"
