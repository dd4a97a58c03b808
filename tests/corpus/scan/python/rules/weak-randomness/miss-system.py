import random
from flask import Flask, session

app = Flask(__name__)


@app.route("/")
def index():
    session["token"] = str(random.SystemRandom().random())  # safe
    return "ok"
