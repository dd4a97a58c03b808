from flask import redirect
from flask import Flask, request

app = Flask(__name__)


class Task:
    def __init__(self, value):
        self.value = value

    def run(self):
        return redirect(self.value)  # sink: open-redirect a


@app.route("/")
def index():
    task = Task(request.args["v"])  # source: a
    return task.run()
