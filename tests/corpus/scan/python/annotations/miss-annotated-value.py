import os

from flask import Flask, request

app = Flask(__name__)


def work(name: str) -> str:
    command: str = "ls"
    return command


@app.route("/")
def index():
    os.system(work(request.args["name"]))  # source: a  # safe
    return "ok"
