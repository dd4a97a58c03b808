import hashlib

from flask import Flask, request

app = Flask(__name__)


def store(text):
    digest = hashlib.sha512()
    digest.update(text.encode())
    return digest.hexdigest()  # safe


@app.route("/password")
def index():
    return store(request.form["password"])
