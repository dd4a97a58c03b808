import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/file")
def index():
    name = request.args["name"]  # source: a
    if name == "":
        return "no name"
    path = os.path.join("/srv/files", name)
    if not os.path.exists(path):
        return "missing"
    return open(path).read()  # sink: path-traversal a
