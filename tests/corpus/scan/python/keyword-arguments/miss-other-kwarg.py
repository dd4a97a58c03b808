import os

from flask import Flask, request

app = Flask(__name__)


def run(**options):
    os.system(options["command"])  # safe


@app.route("/")
def index():
    run(command="ls", shell=request.args["name"])  # source: a
    return "ok"
