import os

from flask import Flask, request

app = Flask(__name__)


def same(value):
    return value


@app.route("/")
def index():
    same(request.args["name"])  # source: a
    os.system(same("ls"))  # safe
    return "ok"
