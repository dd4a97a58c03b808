import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    os.popen(f"ls {name}")  # sink: command-injection a
    return "ok"
