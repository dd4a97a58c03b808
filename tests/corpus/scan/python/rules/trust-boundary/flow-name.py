from flask import Flask, request, session

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    session[name] = "1"  # sink: trust-boundary a
    return "ok"
