import defusedxml.ElementTree
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    defusedxml.ElementTree.fromstring(request.args["data"])  # source: a  # safe
    return "ok"
