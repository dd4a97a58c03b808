import os

from flask import Flask, request

app = Flask(__name__)


def run(level):
    if "level" in level:
        os.system("runlevel " + level)  # sink: command-injection a


@app.route("/")
def index():
    run(request.args["level"])  # source: a
    return "ok"
