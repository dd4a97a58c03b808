import yaml

from flask import Flask, request

app = Flask(__name__)


def read(text):
    return yaml.load(text, Loader=yaml.SafeLoader)  # safe


@app.route("/import", methods=["POST"])
def index():
    return str(len(read(request.form["config"])))
