import os

from flask import Flask, request

app = Flask(__name__)


class Base:
    def __init__(self, command):
        self.command = command


class Derived(Base):
    def show(self):
        return self.command


@app.route("/")
def index():
    os.system(Derived(request.args["name"]).show())  # source: a  # sink: command-injection a
    return "ok"
