import os

from flask import Flask, request

app = Flask(__name__)


class First:
    def build(self, name):
        return name


class Second:
    def build(self, name):
        return "ls"


@app.route("/")
def index():
    First().build(request.args["name"])  # source: a
    os.system(Second().build("a"))  # safe
    return "ok"
