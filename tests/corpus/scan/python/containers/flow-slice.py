import os

from flask import Flask, request

app = Flask(__name__)




@app.route("/")
def index():
    items = ["ls", request.args["c"], "date"]  # source: a
    part = items[1:2]
    os.system(part[0])  # sink: command-injection a
    return "ok"
