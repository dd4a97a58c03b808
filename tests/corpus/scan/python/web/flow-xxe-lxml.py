from lxml import etree

from flask import Flask, request

app = Flask(__name__)


@app.route("/import", methods=["POST"])
def index():
    parser = etree.XMLParser(resolve_entities=True)
    root = etree.fromstring(request.files["file"].read(), parser)  # source: a  # sink: xxe a
    return str(len(root))
