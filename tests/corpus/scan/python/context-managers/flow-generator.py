import os
from contextlib import contextmanager

from flask import Flask, request

app = Flask(__name__)


@contextmanager
def given(text):
    yield text


@app.route("/")
def index():
    with given(request.args["c"]) as command:  # source: a
        os.system(command)  # sink: command-injection a
    return "ok"
