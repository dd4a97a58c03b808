import requests
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    requests.get(request.args["url"])  # source: a  # sink: ssrf a
    return "ok"
