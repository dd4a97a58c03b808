import lxml.etree
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    lxml.etree.fromstring(request.args["data"])  # source: a  # sink: xxe a
    return "ok"
