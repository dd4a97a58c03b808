import os

from flask import Flask, request

app = Flask(__name__)


class Field:
    def __get__(self, owner, kind=None):
        return "ls"


class Form:
    command = Field()

    def __init__(self, value):
        self._value = value


@app.route("/")
def index():
    form = Form(request.args["value"])
    os.system(Form("a").command)  # safe
    return str(form is None)
