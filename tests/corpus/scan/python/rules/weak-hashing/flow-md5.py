import hashlib
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    print(hashlib.md5(b"a").hexdigest())  # source: a  # sink: weak-hashing a
    return "ok"
