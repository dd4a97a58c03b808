import os

from flask import Flask, request

app = Flask(__name__)


from shell import *


@app.route("/")
def index():
    run(request.args["name"])  # source: a
    return "ok"
