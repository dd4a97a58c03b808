import os

from flask import Flask, request

app = Flask(__name__)


import shell


@app.route("/")
def index():
    shell.log(request.args["name"])  # source: a
    return "ok"
