import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    number = request.args["number"]
    try:
        int(number)
    except ValueError:
        return "bad"
    os.system("sleep " + number)  # safe
    return "ok"
