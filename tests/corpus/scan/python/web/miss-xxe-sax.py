import io
import xml.sax

from flask import Flask, request

app = Flask(__name__)


def read(data):
    parser = xml.sax.make_parser()
    parser.setFeature(xml.sax.handler.feature_external_ges, False)
    parser.parse(io.StringIO(data))  # safe


@app.route("/import", methods=["POST"])
def index():
    read(request.get_data(as_text=True))
    return "ok"
