import logging
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    logging.info("number %d" % int(request.args["name"]))  # source: a  # safe
    return "ok"
