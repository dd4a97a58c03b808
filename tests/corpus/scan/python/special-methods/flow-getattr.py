import os

from flask import Flask, request

app = Flask(__name__)


class Proxy:
    def __init__(self, value):
        self._value = value

    def __getattr__(self, name):
        return self._value


@app.route("/")
def index():
    proxy = Proxy(request.args["value"])  # source: a
    os.system(proxy.command)  # sink: command-injection a
    return "ok"
