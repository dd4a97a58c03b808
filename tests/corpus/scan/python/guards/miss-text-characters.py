import os

from flask import Flask, request

app = Flask(__name__)


def run(level):
    if level in "0123":
        os.system("runlevel " + level)  # safe


@app.route("/")
def index():
    run(request.args["level"])
    return "ok"
