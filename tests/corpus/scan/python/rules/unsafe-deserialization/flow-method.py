import pickle
from flask import Flask, request

app = Flask(__name__)


class Task:
    def __init__(self, value):
        self.value = value

    def run(self):
        pickle.loads(self.value)  # sink: unsafe-deserialization a


@app.route("/")
def index():
    task = Task(request.data)  # source: a
    task.run()
    return "ok"
