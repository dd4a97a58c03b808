from flask import Flask, request

app = Flask(__name__)


class Task:
    def __init__(self, value):
        self.value = value

    def run(self):
        eval(self.value)  # sink: code-injection a


@app.route("/")
def index():
    task = Task(request.args["v"])  # source: a
    task.run()
    return "ok"
