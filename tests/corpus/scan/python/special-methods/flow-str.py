import os

from flask import Flask, request

app = Flask(__name__)


class Command:
    def __init__(self, text):
        self.text = text

    def __str__(self):
        return "ls " + self.text


@app.route("/")
def index():
    os.system(f"{Command(request.args['folder'])}")  # source: a  # sink: command-injection a
    return "ok"
