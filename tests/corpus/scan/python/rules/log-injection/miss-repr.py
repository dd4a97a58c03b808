import logging
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    logging.info("name " + repr(request.args["name"]))  # source: a  # safe
    return "ok"
