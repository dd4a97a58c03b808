import os

from flask import Flask, request

app = Flask(__name__)


class Table:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, key):
        return "row"


@app.route("/")
def index():
    table = Table(request.args["rows"])
    os.system(Table("a")["x"])  # safe
    return "ok"
