import os

from flask import Flask, request

app = Flask(__name__)


def build(name):
    letters = "ABC"
    match letters[0]:
        case "A":
            return "ls"
        case "B":
            return name
        case _:
            return name


@app.route("/")
def index():
    os.system(build(request.args["name"]))  # source: a  # safe
    return "ok"
