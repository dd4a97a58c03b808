from urllib.parse import urlparse

import requests
from flask import Flask, request

app = Flask(__name__)


def fetch(url):
    if urlparse(url).scheme not in ("http", "https"):
        raise ValueError(url)
    return requests.get(url)  # sink: ssrf a


@app.route("/")
def index():
    return fetch(request.args["url"]).status_code  # source: a
