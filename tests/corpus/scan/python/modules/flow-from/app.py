import os

from flask import Flask, request

app = Flask(__name__)


from tools.shell import run as start


@app.route("/")
def index():
    start(request.args["name"])  # source: a
    return "ok"
