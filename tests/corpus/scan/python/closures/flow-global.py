import os

from flask import Flask, request

app = Flask(__name__)


command = "ls"


def change():
    global command
    command = request.args["name"]  # source: a


@app.route("/")
def index():
    change()
    os.system(command)  # sink: command-injection a
    return "ok"
