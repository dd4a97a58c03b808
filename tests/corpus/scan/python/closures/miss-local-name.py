import os

from flask import Flask, request

app = Flask(__name__)


command = "ls"


def change():
    command = request.args["name"]  # source: a
    return command


@app.route("/")
def index():
    change()
    os.system(command)  # safe
    return "ok"
