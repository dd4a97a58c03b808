import random

from flask import Flask, make_response, request

app = Flask(__name__)


def remember_me():
    return str(random.random())[2:]  # source: a


@app.route("/login")
def index():
    response = make_response("welcome")
    key = remember_me()
    response.set_cookie("rememberMe", key, httponly=True, secure=True)  # sink: weak-randomness a
    return response
