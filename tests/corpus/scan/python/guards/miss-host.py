from urllib.parse import urlparse

import requests
from flask import Flask, request

app = Flask(__name__)
HOSTS = {"api.example.com", "example.com"}


def fetch(url):
    if urlparse(url).hostname not in HOSTS:
        raise ValueError(url)
    return requests.get(url)  # safe


@app.route("/")
def index():
    return fetch(request.args["url"]).status_code
