import os

from flask import Flask, request

app = Flask(__name__)


class Table:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, key):
        return self.rows + key


@app.route("/")
def index():
    table = Table(request.args["rows"])  # source: a
    os.system(table["x"])  # sink: command-injection a
    return "ok"
