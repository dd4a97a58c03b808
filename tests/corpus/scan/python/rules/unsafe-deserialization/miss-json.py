import json
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    json.loads(request.args["data"])  # source: a  # safe
    return "ok"
