import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    for command in map(lambda name: "ls " + name, [request.args["name"]]):  # source: a
        os.system(command)  # sink: command-injection a
    return "ok"
