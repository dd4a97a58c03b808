from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    request.args["code"]  # source: a
    eval("1 + 1")  # safe
    return "ok"
