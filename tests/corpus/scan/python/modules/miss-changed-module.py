import os

from flask import Flask, request

app = Flask(__name__)


def clean(name):
    os.remove(name)  # sink: path-traversal a


def show():
    os.system("cat " + os.devnull)  # safe


@app.route("/")
def index():
    clean(request.args["f"])  # source: a
    show()
    return "ok"
