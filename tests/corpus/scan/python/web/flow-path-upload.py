import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/upload", methods=["POST"])
def index():
    file = request.files["file"]  # source: a
    file.save(os.path.join("/srv/files", file.filename))  # sink: path-traversal a
    return "ok"
