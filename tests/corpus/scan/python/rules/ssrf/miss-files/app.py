import requests
from flask import Flask, request

from checks import clean

app = Flask(__name__)


@app.route("/", methods=["POST"])
def index():
    value = clean(request.args["v"])  # source: a
    requests.get("http://" + value)  # safe
    return "ok"
