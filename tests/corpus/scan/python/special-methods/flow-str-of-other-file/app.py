import os

from flask import Flask, request

from model import Command

app = Flask(__name__)


@app.route("/")
def index():
    command = Command(request.args["folder"])  # source: a
    os.system(f"nice {command}")  # sink: command-injection a
    os.system("nice %s" % command)  # sink: command-injection a
    os.system("nice {}".format(command))  # sink: command-injection a
    return "ok"
