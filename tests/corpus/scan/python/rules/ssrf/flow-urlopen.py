import urllib.request
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    urllib.request.urlopen("http://" + request.args["host"])  # source: a  # sink: ssrf a
    return "ok"
