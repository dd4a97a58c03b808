import logging
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    logging.info("name " + request.args["name"])  # source: a  # sink: log-injection a
    return "ok"
