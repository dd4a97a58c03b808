from urllib.parse import urlparse

from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/login")
def index():
    target = request.args.get("next", "/")  # source: a
    parsed = urlparse(target)
    if parsed.scheme not in ("http", "https"):
        return "bad scheme"
    return redirect(target)  # sink: open-redirect a
