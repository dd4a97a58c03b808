import xml.etree.ElementTree as ET
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    root = ET.parse("a.xml").getroot()
    root.find("a[@n='%s']" % request.args["name"])  # source: a  # sink: xpath-injection a
    return "ok"
