import os

from flask import Flask, request

app = Flask(__name__)


def constant(function):
    def wrapper(name):
        return "ls"
    return wrapper


@constant
def build(name):
    return name


@app.route("/")
def index():
    os.system(build(request.args["name"]))  # source: a  # safe
    return "ok"
