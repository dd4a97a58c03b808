import jinja2
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    jinja2.Template("{{ name }}").render(name=request.args["name"])  # source: a  # safe
    return "ok"
