import secrets
from flask import Flask, session

app = Flask(__name__)


@app.route("/")
def index():
    session["token"] = secrets.token_hex()  # safe
    return "ok"
