import lxml.etree
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    def find(name):
        return lxml.etree.XPath("//" + name)  # sink: xpath-injection a

    find(request.args["name"])  # source: a
    return "ok"
