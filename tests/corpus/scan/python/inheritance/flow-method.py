import os

from flask import Flask, request

app = Flask(__name__)


class Base:
    def run(self, command):
        os.system(command)  # sink: command-injection a


class Derived(Base):
    pass


@app.route("/")
def index():
    Derived().run(request.args["name"])  # source: a
    return "ok"
