import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/sleep/<number>")
def index(number):  # source: a
    os.system("sleep %s" % number)  # sink: command-injection a
    return "ok"
