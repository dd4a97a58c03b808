import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    number = request.args["number"]  # source: a
    try:
        int(number)
    except ValueError:
        pass
    os.system("sleep " + number)  # sink: command-injection a
    return "ok"
