import os

from flask import Flask, request

app = Flask(__name__)


build = lambda name: "ls " + name


@app.route("/")
def index():
    os.system(build(request.args["name"]))  # source: a  # sink: command-injection a
    return "ok"
