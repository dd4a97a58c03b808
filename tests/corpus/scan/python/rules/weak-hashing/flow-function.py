import hashlib
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    def digest(hasher):
        return hasher.hexdigest()  # sink: weak-hashing a

    print(digest(hashlib.sha1(b"a")))  # source: a
    return "ok"
