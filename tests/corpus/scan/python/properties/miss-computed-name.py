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
        for name in ["read", "show"]:
            setattr(self, name, self.input)

    def input(self):
        return request.args["name"]


@app.route("/")
def index():
    wheel = Wheel("name-1")
    os.system("ls " + wheel.version)  # safe
    return Version().version
