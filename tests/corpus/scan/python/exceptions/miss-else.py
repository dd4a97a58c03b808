import os

from flask import Flask, request

app = Flask(__name__)


def parse(name):
    try:
        number = int(name)
    except ValueError:
        return
    os.system("kill " + str(number))  # safe


@app.route("/")
def index():
    parse(request.args["name"])  # source: a
    return "ok"
