from lxml import etree
from flask import Flask, request

app = Flask(__name__)


class Task:
    def __init__(self, value):
        self.value = value

    def run(self):
        etree.parse("a.xml").xpath("//user[@name='" + self.value + "']")  # sink: xpath-injection a


@app.route("/")
def index():
    task = Task(request.args["v"])  # source: a
    task.run()
    return "ok"
