from flask import Flask, request

from shell import Shell
from registry import plugins

app = Flask(__name__)


def find(name) -> Shell:
    return plugins[name]


@app.route("/")
def index():
    find("x").start(request.args["c"])  # source: a
    return "ok"
