from pathlib import Path

from flask import Flask, request

app = Flask(__name__)
ROOT = Path("/srv/files").resolve()


def load(name):
    path = ROOT / name
    return path.read_text()  # sink: path-traversal a


@app.route("/file")
def index():
    return len(load(request.args["name"]))  # source: a
