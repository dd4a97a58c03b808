import xml.dom.minidom
import xml.sax

from flask import Flask, request

app = Flask(__name__)


def read(text):
    parser = xml.sax.make_parser()
    parser.setFeature(xml.sax.handler.feature_external_ges, False)
    return xml.dom.minidom.parseString(text, parser)  # safe


@app.route("/")
def index():
    read(request.args["x"])
    return "ok"
