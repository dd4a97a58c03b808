import random
from flask import Flask, session

app = Flask(__name__)


@app.route("/")
def index():
    def token():
        return "".join(random.choice("abc") for _ in range(9))  # source: a

    session["token"] = token()  # sink: weak-randomness a
    return "ok"
