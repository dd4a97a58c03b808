import jinja2
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    jinja2.Template(request.args["name"]).render()  # source: a  # sink: template-injection a
    return "ok"
