import os

from flask import Flask, request

app = Flask(__name__)


class Manager:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


@app.route("/")
def index():
    with Manager(request.args["name"]) as manager:  # source: a
        os.system(manager.name)  # sink: command-injection a
    return "ok"
