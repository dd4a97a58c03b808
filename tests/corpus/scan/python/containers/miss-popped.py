import os

from flask import Flask, request

app = Flask(__name__)


def build(name):
    parts = ["ls"]
    parts.append(name)
    parts.append("more")
    parts.pop(0)
    return parts[1]


@app.route("/")
def index():
    os.system(build(request.args["name"]))  # source: a  # safe
    return "ok"
