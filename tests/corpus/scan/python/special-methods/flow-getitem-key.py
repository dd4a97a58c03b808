import os

from flask import Flask, request

app = Flask(__name__)


class Table:
    def __getitem__(self, key):
        return "ls " + key


@app.route("/")
def index():
    os.system(Table()[request.args["key"]])  # source: a  # sink: command-injection a
    return "ok"
