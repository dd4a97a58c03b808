import base64
import pickle

from flask import Flask, request

app = Flask(__name__)


def decode(text):
    return pickle.loads(base64.urlsafe_b64decode(text))  # sink: unsafe-deserialization a


@app.route("/cart")
def index():
    cart = decode(request.cookies["cart"])  # source: a
    return str(len(cart))
