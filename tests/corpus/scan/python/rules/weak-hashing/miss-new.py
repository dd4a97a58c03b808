import hashlib
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    digest = hashlib.new("sha256")
    print(digest.digest())  # safe
    return "ok"
