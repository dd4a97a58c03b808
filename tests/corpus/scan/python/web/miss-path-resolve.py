from pathlib import Path

from flask import Flask, abort, request

app = Flask(__name__)
ROOT = Path("/srv/files").resolve()


def load(name):
    path = (ROOT / name).resolve()
    if not path.is_relative_to(ROOT):
        abort(404)
    return path.read_text()  # safe


@app.route("/file")
def index():
    return load(request.args["name"])
