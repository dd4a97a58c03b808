import html
import os

from flask import Flask, request

app = Flask(__name__)


def clean(value):
    return html.escape(value)


@app.route("/ping")
def index():
    os.popen("ping " + clean(request.values.get("host"))).read()  # source: a  # sink: command-injection a
    return "ok"
