import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    if name not in ("a", "b"):
        return "no"
    os.system(name)  # safe
    return "ok"
