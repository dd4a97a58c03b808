import os

from flask import Flask, request

app = Flask(__name__)


class Job:
    def __init__(self, command, name):
        self.command = command
        self.name = name

    def run(self):
        os.system(self.command)  # safe


@app.route("/")
def index():
    Job("ls", request.args["name"]).run()  # source: a
    return "ok"
