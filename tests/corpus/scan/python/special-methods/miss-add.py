import os

from flask import Flask, request

app = Flask(__name__)


class Command:
    def __init__(self, text):
        self.text = text

    def __add__(self, other):
        return Command("ls")


@app.route("/")
def index():
    command = Command("ls ") + Command(request.args["folder"])
    os.system(command.text)  # safe
    return "ok"
