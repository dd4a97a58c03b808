import os

from flask import Flask, request

app = Flask(__name__)


class Version:
    @property
    def version(self):
        return "1"


class Wheel:
    def __init__(self, text):
        for name, value in zip(["project", "version"], text.split("-")):
            setattr(self, name, value)


@app.route("/")
def index():
    wheel = Wheel(request.args["name"])  # source: a
    os.system("ls " + wheel.version)  # sink: command-injection a
    return Version().version
