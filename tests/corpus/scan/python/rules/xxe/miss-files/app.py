from lxml import etree
from flask import Flask, request

from checks import clean

app = Flask(__name__)


@app.route("/", methods=["POST"])
def index():
    value = clean(request.data)  # source: a
    etree.fromstring(value)  # safe
    return "ok"
