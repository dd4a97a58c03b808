import os
from flask import Flask, request

app = Flask(__name__)


class Task:
    def __init__(self, value):
        self.value = value

    def run(self):
        open(os.path.join("/srv/files", self.value))  # sink: path-traversal a


@app.route("/")
def index():
    task = Task(request.args["v"])  # source: a
    task.run()
    return "ok"
