import os

from flask import Flask, request

app = Flask(__name__)


import functools


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper


@logged
def run(command):
    os.system(command)  # sink: command-injection a


@app.route("/")
def index():
    run(request.args["name"])  # source: a
    return "ok"
