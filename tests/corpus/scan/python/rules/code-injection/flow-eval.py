from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    eval(request.args["code"])  # source: a  # sink: code-injection a
    return "ok"
