import os

from flask import Flask, request

app = Flask(__name__)




@app.route("/")
def index():
    items = ["ls", request.args["c"], "date"]
    part = items[2:]
    os.system(part[0])  # safe
    return "ok"
