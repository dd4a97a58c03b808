import hashlib

from flask import Flask, request

app = Flask(__name__)


def store(text):
    digest = hashlib.md5()  # source: a
    digest.update(text.encode())
    return digest.hexdigest()  # sink: weak-hashing a


@app.route("/password")
def index():
    return store(request.form["password"])
