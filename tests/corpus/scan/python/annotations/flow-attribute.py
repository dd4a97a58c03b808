import os

from flask import Flask, request
from registry import plugins

app = Flask(__name__)


class Shell:
    def start(self, command):
        os.system(command)  # sink: command-injection a


class Service:
    shell: Shell

    def __init__(self):
        self.shell = plugins["shell"]

    def work(self, command):
        self.shell.start(command)


@app.route("/")
def index():
    Service().work(request.args["c"])  # source: a
    return "ok"
