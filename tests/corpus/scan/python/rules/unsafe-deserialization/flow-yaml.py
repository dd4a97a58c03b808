import yaml
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    yaml.load(request.args["data"], Loader=yaml.Loader)  # source: a  # sink: unsafe-deserialization a
    return "ok"
