import yaml

from flask import Flask, request

app = Flask(__name__)


def read(text):
    return yaml.load(text, Loader=yaml.Loader)  # sink: unsafe-deserialization a


@app.route("/import", methods=["POST"])
def index():
    return str(len(read(request.form["config"])))  # source: a
