import requests
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    url = request.args["url"]  # source: a
    if url.startswith("https://example.com/"):
        requests.get(url)  # safe
    return "ok"
