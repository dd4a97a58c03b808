import xml.sax
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    parser = xml.sax.make_parser()
    parser.setFeature(xml.sax.handler.feature_external_ges, True)
    parser.parse(request.files["data"])  # source: a  # sink: xxe a
    return "ok"
