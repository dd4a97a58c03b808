import os

from flask import Flask, request

app = Flask(__name__)


class Words:
    def __init__(self, text):
        self.text = text

    def __iter__(self):
        return self

    def __next__(self):
        return "word"


@app.route("/")
def index():
    for word in Words("a"):
        os.system(word)  # safe
    return str(Words(request.args["text"]) is None)
