import os

from flask import Flask, request

app = Flask(__name__)


class Field:
    def __get__(self, owner, kind=None):
        return owner.__dict__["x"]

    def __set__(self, owner, value):
        owner.__dict__["x"] = value


class Form:
    command = Field()


def fill(form, value):
    form.command = value


@app.route("/")
def index():
    form = Form()
    fill(form, request.args["value"])  # source: a
    os.system(form.command)  # sink: command-injection a
    return "ok"
