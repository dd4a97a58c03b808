import lxml.etree
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    parser = lxml.etree.XMLParser(resolve_entities=False)
    lxml.etree.fromstring(request.args["data"], parser=parser)  # source: a  # safe
    return "ok"
