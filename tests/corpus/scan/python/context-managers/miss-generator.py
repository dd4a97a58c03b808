import os
from contextlib import contextmanager

from flask import Flask, request

app = Flask(__name__)


@contextmanager
def given(text):
    yield "ls"


@app.route("/")
def index():
    with given(request.args["c"]) as command:
        os.system(command)  # safe
    return "ok"
