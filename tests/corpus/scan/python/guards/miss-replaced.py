import logging
import re

from flask import Flask, request

app = Flask(__name__)


def clean(text):
    return text.replace("\r", "").replace("\n", " ")


def word(text):
    return re.sub(r"[^a-z]", "", text)


@app.route("/")
def index():
    logging.info("user %s", clean(request.args["user"]))  # safe
    eval(word(request.args["code"]))  # safe
    return "ok"
