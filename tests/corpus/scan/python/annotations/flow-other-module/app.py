from flask import Flask, request

from registry import find
from service import handle

app = Flask(__name__)


@app.route("/")
def index():
    handle(find("shell"), request.args["c"])  # source: a
    return "ok"
