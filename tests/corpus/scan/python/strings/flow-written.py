import io
import os

from flask import Flask, request

app = Flask(__name__)


def write(text):
    buffer = io.StringIO()
    buffer.write("echo ")
    buffer.write(text)
    return buffer.getvalue()


@app.route("/")
def index():
    os.system(write(request.args["c"]))  # sink: command-injection a # source: a
    return "ok"
