import hashlib
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    print(hashlib.sha256(b"a").hexdigest())  # safe
    return "ok"
