from flask import Flask, request, session

app = Flask(__name__)


@app.route("/")
def index():
    session["role"] = request.args["role"]  # source: a  # sink: trust-boundary a
    return "ok"
