from flask import Flask, request
from lxml import etree

app = Flask(__name__)


@app.route("/")
def index():
    def parse(text):
        return etree.XML(text)  # sink: xxe a

    parse(request.args["data"])  # source: a
    return "ok"
