import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    os.system(request.args["name"].strip().split(",")[0].replace("a", "b")[1:])  # source: a  # sink: command-injection a
    return "ok"
