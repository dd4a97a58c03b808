import os

from flask import Flask, request

app = Flask(__name__)


def number(function):
    def wrapper(name):
        return function(int(name))
    return wrapper


@number
def run(name):
    os.system("kill " + str(name))  # safe


@app.route("/")
def index():
    run(request.args["name"])  # source: a
    return "ok"
