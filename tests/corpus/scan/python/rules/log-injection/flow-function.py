import logging
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    def log(text):
        logging.error(text)  # sink: log-injection a

    log(request.args["name"])  # source: a
    return "ok"
