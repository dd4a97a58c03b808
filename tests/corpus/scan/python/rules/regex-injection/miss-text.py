import re
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    re.search("[a-z]+", request.args["text"])  # source: a  # safe
    return "ok"
