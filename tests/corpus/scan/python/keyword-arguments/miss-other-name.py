import os

from flask import Flask, request

app = Flask(__name__)


def run(shell, command):
    os.system(command)  # safe


@app.route("/")
def index():
    run(command="ls", shell=request.args["name"])  # source: a
    return "ok"
