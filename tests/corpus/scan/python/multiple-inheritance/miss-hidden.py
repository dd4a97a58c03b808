import os

from flask import Flask, request

app = Flask(__name__)


class First:
    def run(self, command):
        print(command)


class Second:
    def run(self, command):
        os.system(command)  # safe


class Both(First, Second):
    pass


@app.route("/")
def index():
    Both().run(request.args["name"])  # source: a
    return "ok"
