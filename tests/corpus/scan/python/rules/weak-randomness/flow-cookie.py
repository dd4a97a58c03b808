import random
from flask import Flask, make_response, request

app = Flask(__name__)


@app.route("/")
def index():
    token = str(random.random())  # source: a
    response = make_response("ok")
    response.set_cookie("t", token, secure=True)  # sink: weak-randomness a
    return response
