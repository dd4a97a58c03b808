import os

from flask import Flask, request

app = Flask(__name__)


class Job:
    def __init__(self, name):
        self._name = name

    @property
    def command(self):
        return "ls"


@app.route("/")
def index():
    os.system(Job(request.args["name"]).command)  # source: a  # safe
    return "ok"
