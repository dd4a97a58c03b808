import os

from flask import Flask, request

from model import Command

app = Flask(__name__)


@app.route("/")
def index():
    command = Command(request.args["folder"])
    os.system(f"nice {command}")  # safe
    os.system("nice %s" % command)  # safe
    os.system("nice {}".format(command))  # safe
    return "ok"
