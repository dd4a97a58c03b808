import os

from flask import Flask, request

app = Flask(__name__)


import tools.deep.shell


@app.route("/")
def index():
    tools.deep.shell.run(request.args["name"])  # source: a
    return "ok"
