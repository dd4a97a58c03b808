from flask import Flask, request, session

app = Flask(__name__)


def remember(name):
    session.update({"name": name})  # sink: trust-boundary a


@app.route("/")
def index():
    remember(request.args["n"])  # source: a
    return "ok"
