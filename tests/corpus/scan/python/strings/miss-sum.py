import os

from flask import Flask, request

app = Flask(__name__)


class Counter:
    def __init__(self, value):
        self.value = value

    def next(self):
        self.value += 1
        return self.value


@app.route("/")
def index():
    os.system("ls %s" % Counter(request.args["start"]).next())  # safe: a sum with a number is a number
    return "ok"
