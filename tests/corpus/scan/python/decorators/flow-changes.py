import os

from flask import Flask, request

app = Flask(__name__)


def shell(function):
    def wrapper(name):
        os.system(function(name))  # sink: command-injection a
    return wrapper


@shell
def run(name):
    return "ls " + name


@app.route("/")
def index():
    run(request.args["name"])  # source: a
    return "ok"
