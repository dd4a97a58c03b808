import os

from flask import Flask, request

app = Flask(__name__)


class Proxy:
    def __init__(self, value):
        self._value = value

    def __getattr__(self, name):
        return "ls"


@app.route("/")
def index():
    proxy = Proxy("a")
    other = Proxy(request.args["value"])
    os.system(proxy.command)  # safe
    return str(other is proxy)
