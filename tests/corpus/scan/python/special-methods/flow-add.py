import os

from flask import Flask, request

app = Flask(__name__)


class Command:
    def __init__(self, text):
        self.text = text

    def __add__(self, other):
        return Command(self.text + other.text)


@app.route("/")
def index():
    command = Command("ls ") + Command(request.args["folder"])  # source: a
    os.system(command.text)  # sink: command-injection a
    return "ok"
