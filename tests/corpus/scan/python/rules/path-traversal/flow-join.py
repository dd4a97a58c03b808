import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    path = os.path.join("data", request.args["name"])  # source: a
    os.remove(path)  # sink: path-traversal a
    return "ok"
