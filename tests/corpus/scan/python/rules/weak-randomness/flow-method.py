import random

from flask import Flask, make_response

app = Flask(__name__)


class Tokens:
    def next(self):
        return "t%d" % random.randint(0, 1000000)  # source: a


@app.route("/")
def index():
    response = make_response("ok")
    response.set_cookie("token", Tokens().next(), secure=True)  # sink: weak-randomness a
    return response
