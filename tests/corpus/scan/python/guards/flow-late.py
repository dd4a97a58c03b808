import os

from flask import Flask, request

app = Flask(__name__)


def use(name):
    os.system(name)  # sink: command-injection a
    if name not in ("a", "b"):
        return


@app.route("/")
def index():
    use(request.args["name"])  # source: a
    return "ok"
