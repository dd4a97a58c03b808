import os

from flask import Flask, request

app = Flask(__name__)


import configparser


@app.route("/")
def index():
    table = configparser.ConfigParser()
    table.add_section("a")
    table.set("a", "safe", "ls")
    table.set("a", "command", request.args["name"])  # source: a
    os.system(table.get("a", "command"))  # sink: command-injection a
    return "ok"
