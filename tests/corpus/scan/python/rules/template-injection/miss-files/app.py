from jinja2 import Template
from flask import Flask, request

from checks import clean

app = Flask(__name__)


@app.route("/", methods=["POST"])
def index():
    value = clean(request.args["v"])  # source: a
    Template("Hi " + value).render()  # safe
    return "ok"
