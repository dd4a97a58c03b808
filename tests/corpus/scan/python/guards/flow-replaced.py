import logging
import re

from flask import Flask, request

app = Flask(__name__)


def clean(text):
    return text.replace("x", "y").replace("\t", "\n")


def word(text):
    return re.sub(r"[a-z]", "", text)


@app.route("/")
def index():
    logging.info("user %s", clean(request.args["user"]))  # source: a  # sink: log-injection a
    eval(word(request.args["code"]))  # source: b  # sink: code-injection b
    return "ok"
