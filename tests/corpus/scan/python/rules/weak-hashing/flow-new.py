import hashlib
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    digest = hashlib.new("sha1")  # source: a
    digest.update(b"a")
    print(digest.digest())  # sink: weak-hashing a
    return "ok"
