import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    other = request.args["other"]
    if other in ("a", "b"):
        os.system(name)  # sink: command-injection a
    return "ok"
