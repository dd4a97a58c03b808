import os

from flask import Flask, request

app = Flask(__name__)


class Words:
    def __init__(self, text):
        self.text = text

    def __iter__(self):
        return self

    def __next__(self):
        return self.text


@app.route("/")
def index():
    for word in Words(request.args["text"]):  # source: a
        os.system(word)  # sink: command-injection a
    return "ok"
