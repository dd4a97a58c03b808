from urllib.parse import urlparse

from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/login")
def index():
    target = request.args.get("next", "/")
    parsed = urlparse(target)
    if parsed.netloc not in ["example.com", "www.example.com"]:
        return "bad host"
    return redirect(target)  # safe
