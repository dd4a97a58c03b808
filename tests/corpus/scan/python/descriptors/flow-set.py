import os

from flask import Flask, request

app = Flask(__name__)


class Field:
    def __set__(self, owner, value):
        os.system(value)  # sink: command-injection a


class Form:
    command = Field()


@app.route("/")
def index():
    form = Form()
    form.command = request.args["value"]  # source: a
    return "ok"
