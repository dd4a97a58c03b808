import os

from flask import Flask, request

app = Flask(__name__)


class Settings:
    command = "ls"


def run():
    os.system(Settings.command)  # sink: command-injection a


@app.route("/")
def index():
    Settings.command = request.args["name"]  # source: a
    run()
    return "ok"
