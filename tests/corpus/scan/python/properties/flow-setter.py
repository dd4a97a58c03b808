import os

from flask import Flask, request

app = Flask(__name__)


class Job:
    @property
    def command(self):
        return self._command

    @command.setter
    def command(self, value):
        self._command = value


@app.route("/")
def index():
    job = Job()
    job.command = request.args["name"]  # source: a
    os.system(job.command)  # sink: command-injection a
    return "ok"
