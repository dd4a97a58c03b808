import random
from flask import Flask, session

app = Flask(__name__)


@app.route("/")
def index():
    session["token"] = "%s" % random.getrandbits(99)  # source: a  # sink: weak-randomness a
    return "ok"
