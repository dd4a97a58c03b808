import requests
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    requests.get("https://example.com/?q=" + request.args["name"])  # source: a  # safe
    return "ok"
