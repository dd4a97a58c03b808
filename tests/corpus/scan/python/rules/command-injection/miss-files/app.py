import os
from flask import Flask, request

from checks import clean

app = Flask(__name__)


@app.route("/", methods=["POST"])
def index():
    value = clean(request.args["v"])  # source: a
    os.system("ls " + value)  # safe
    return "ok"
