import importlib
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    importlib.import_module(request.args["name"])  # source: a  # sink: code-injection a
    return "ok"
