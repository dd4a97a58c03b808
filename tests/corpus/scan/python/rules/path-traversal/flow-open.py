from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    open("data/" + request.args["name"])  # source: a  # sink: path-traversal a
    return "ok"
