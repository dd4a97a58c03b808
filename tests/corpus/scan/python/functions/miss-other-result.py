import os

from flask import Flask, request

app = Flask(__name__)


def first(left, right):
    return left


@app.route("/")
def index():
    os.system(first("ls", request.args["name"]))  # source: a  # safe
    return "ok"
