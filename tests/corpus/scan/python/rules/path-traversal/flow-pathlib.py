from flask import Flask, request
from pathlib import Path

app = Flask(__name__)


@app.route("/")
def index():
    path = Path("data") / request.args["name"]  # source: a
    print(path.read_text())  # sink: path-traversal a
    return "ok"
