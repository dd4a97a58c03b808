import os

from flask import Flask, request

app = Flask(__name__)


class Top:
    def run(self, command):
        os.system(command)  # safe


class Left(Top):
    pass


class Right(Top):
    def run(self, command):
        print(command)


class Both(Left, Right):
    pass


@app.route("/")
def index():
    Both().run(request.args["name"])  # source: a
    return "ok"
