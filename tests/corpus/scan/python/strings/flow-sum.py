import os

from flask import Flask, request

app = Flask(__name__)


class Text:
    def __init__(self, value):
        self.value = value

    def next(self, more):
        self.value += more
        return self.value


@app.route("/")
def index():
    os.system("ls %s" % Text(request.args["start"]).next("1"))  # source: a  # sink: command-injection a
    return "ok"
