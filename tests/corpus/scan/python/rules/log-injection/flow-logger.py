import logging
from flask import Flask, request

app = Flask(__name__)


logger = logging.getLogger(__name__)


@app.route("/")
def index():
    logger.warning("name %s", request.args["name"])  # source: a  # sink: log-injection a
    return "ok"
