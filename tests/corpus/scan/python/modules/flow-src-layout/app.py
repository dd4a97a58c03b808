import os

from flask import Flask, request

app = Flask(__name__)


from package.shell import run


@app.route("/")
def index():
    run(request.args["name"])  # source: a
    return "ok"
