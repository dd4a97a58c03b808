import os

from flask import Flask, request

app = Flask(__name__)


import re


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    if re.fullmatch(r"[a-z0-9]+", name):
        os.system("ls " + name)  # safe
    return "ok"
