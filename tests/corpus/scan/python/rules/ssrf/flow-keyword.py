import requests
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    session = requests.Session()
    session.request("GET", url=request.args["url"])  # source: a  # sink: ssrf a
    return "ok"
