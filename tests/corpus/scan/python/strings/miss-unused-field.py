import os

from flask import Flask, request

app = Flask(__name__)


def build(name):
    return "ls {0}".format("a", name)


@app.route("/")
def index():
    os.system(build(request.args["name"]))  # source: a  # safe
    return "ok"
