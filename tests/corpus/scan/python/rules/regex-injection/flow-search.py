import re
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    re.search("^" + request.args["pattern"], "text")  # source: a  # sink: regex-injection a
    return "ok"
