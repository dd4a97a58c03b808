import re
from flask import Flask, request

app = Flask(__name__)


class Task:
    def __init__(self, value):
        self.value = value

    def run(self):
        re.search(self.value, "text")  # sink: regex-injection a


@app.route("/")
def index():
    task = Task(request.args["v"])  # source: a
    task.run()
    return "ok"
