import re
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    re.compile(request.args["pattern"])  # source: a  # sink: regex-injection a
    return "ok"
