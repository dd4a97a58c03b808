from flask import Flask, request, session

app = Flask(__name__)


@app.route("/")
def index():
    table = {}
    table["role"] = request.args["role"]  # source: a
    session["role"] = "reader"  # safe
    return "ok"
