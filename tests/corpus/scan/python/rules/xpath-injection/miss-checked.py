import lxml.etree
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    tree = lxml.etree.parse("a.xml")
    if name.isalnum():
        tree.xpath("//" + name)  # safe
    return "ok"
