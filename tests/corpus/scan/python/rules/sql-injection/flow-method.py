import sqlite3
from flask import Flask, request

app = Flask(__name__)


class Task:
    def __init__(self, value):
        self.value = value

    def run(self):
        sqlite3.connect("a").execute(f"DELETE FROM t WHERE n = '{self.value}'")  # sink: sql-injection a


@app.route("/")
def index():
    task = Task(request.args["v"])  # source: a
    task.run()
    return "ok"
