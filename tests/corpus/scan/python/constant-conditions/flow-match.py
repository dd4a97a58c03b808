import os

from flask import Flask, request

app = Flask(__name__)


def build(name):
    letters = "ABC"
    match letters[1]:
        case "A":
            return "ls"
        case "B":
            return name
        case _:
            return "ls"


@app.route("/")
def index():
    os.system(build(request.args["name"]))  # source: a  # sink: command-injection a
    return "ok"
