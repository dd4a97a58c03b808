import xml.dom.minidom
import xml.sax

from flask import Flask, request

app = Flask(__name__)


def read(text):
    parser = xml.sax.make_parser()
    parser.setFeature(xml.sax.handler.feature_external_ges, True)
    return xml.dom.minidom.parseString(text, parser)  # sink: xxe a


@app.route("/")
def index():
    read(request.args["x"])  # source: a
    return "ok"
