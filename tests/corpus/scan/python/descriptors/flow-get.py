import os

from flask import Flask, request

app = Flask(__name__)


class Field:
    def __get__(self, owner, kind=None):
        return owner._value


class Form:
    command = Field()

    def __init__(self, value):
        self._value = value


@app.route("/")
def index():
    os.system(Form(request.args["value"]).command)  # source: a  # sink: command-injection a
    return "ok"
