from lxml import etree
from flask import Flask, request

app = Flask(__name__)


class Task:
    def __init__(self, value):
        self.value = value

    def run(self):
        etree.fromstring(self.value)  # sink: xxe a


@app.route("/")
def index():
    task = Task(request.data)  # source: a
    task.run()
    return "ok"
