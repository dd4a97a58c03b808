import os

from flask import Flask, request

app = Flask(__name__)


def run(*parts):
    os.system(parts[0])  # safe


@app.route("/")
def index():
    run("ls", request.args["name"])  # source: a
    return "ok"
