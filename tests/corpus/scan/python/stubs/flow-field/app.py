from flask import Flask, request

from worker import Service

app = Flask(__name__)


@app.route("/")
def index():
    Service().work(request.args["c"])  # source: a
    return "ok"
