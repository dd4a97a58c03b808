import os

from flask import Flask, request

app = Flask(__name__)


from tools import safe


@app.route("/")
def index():
    safe.run(request.args["name"])  # source: a
    return "ok"
