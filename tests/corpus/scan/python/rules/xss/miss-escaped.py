import html
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    name = html.escape(request.args["name"])  # source: a
    return "<h1>" + name + "</h1>"  # safe
