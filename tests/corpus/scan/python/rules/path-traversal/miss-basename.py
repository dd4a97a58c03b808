import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    name = os.path.basename(request.args["name"])  # source: a
    open("data/" + name)  # safe
    return "ok"
