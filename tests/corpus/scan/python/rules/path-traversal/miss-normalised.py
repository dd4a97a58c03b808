import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    path = os.path.realpath(os.path.join("/srv", request.args["name"]))  # source: a
    if not path.startswith("/srv/"):
        return "no"
    open(path)  # safe
    return "ok"
