from flask import make_response
from flask import Flask, request

app = Flask(__name__)


class Task:
    def __init__(self, value):
        self.value = value

    def run(self):
        return make_response("<b>" + self.value + "</b>")  # sink: xss a


@app.route("/")
def index():
    task = Task(request.args["v"])  # source: a
    return task.run()
