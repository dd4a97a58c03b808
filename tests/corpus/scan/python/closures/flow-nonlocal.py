import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    command = "ls"

    def change():
        nonlocal command
        command = request.args["name"]  # source: a

    change()
    os.system(command)  # sink: command-injection a
    return "ok"
