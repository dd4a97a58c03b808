import random

from flask import Flask, session

app = Flask(__name__)


@app.route("/login")
def index():
    generator = random.SystemRandom()
    session["token"] = str(generator.randint(0, 2**31))  # safe
    return "ok"
