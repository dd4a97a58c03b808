from flask import Flask, session

from tokens import token

app = Flask(__name__)


@app.route("/")
def index():
    session["token"] = token()  # safe
    return "ok"
