import urllib.request

from flask import Flask, request

app = Flask(__name__)


def fetch(url):
    try:
        with urllib.request.urlopen(url) as response:  # sink: ssrf a
            return response.read()
    except OSError:
        return b""


@app.route("/proxy")
def index():
    return str(len(fetch(request.args["url"])))  # source: a
