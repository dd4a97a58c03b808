import os
from flask import Flask, request

from checks import clean

app = Flask(__name__)


@app.route("/", methods=["POST"])
def index():
    value = clean(request.args["v"])  # source: a
    open(os.path.join("/srv/files", value))  # safe
    return "ok"
