import os

from flask import Flask, request

app = Flask(__name__)


class Base:
    def __init__(self, command):
        self.command = command


class Derived(Base):
    def __init__(self, command):
        super().__init__(command)


@app.route("/")
def index():
    job = Derived(request.args["name"])  # source: a
    os.system(job.command)  # sink: command-injection a
    return "ok"
