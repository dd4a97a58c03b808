import os

from flask import Flask, request

app = Flask(__name__)


def run(level):
    if level not in ("low", "high"):
        return
    os.system("runlevel " + level)  # safe


@app.route("/")
def index():
    run(request.args["level"])
    return "ok"
