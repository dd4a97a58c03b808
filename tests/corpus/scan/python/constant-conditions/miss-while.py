import os

from flask import Flask, request

app = Flask(__name__)


def run(text):
    command = "ls"
    count = 3
    while count < 3:
        command = text
        count += 1
    os.system(command)  # safe


@app.route("/")
def index():
    run(request.args["c"])
    return "ok"
