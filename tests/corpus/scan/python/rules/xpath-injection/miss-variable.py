import lxml.etree
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    tree = lxml.etree.parse("a.xml")
    tree.xpath("//a[@n=$n]", n=request.args["name"])  # source: a  # safe
    return "ok"
