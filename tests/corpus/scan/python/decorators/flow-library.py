import os

from flask import Flask, request

app = Flask(__name__)


import functools


@functools.lru_cache
def build(name):
    return "ls " + name


@app.route("/")
def index():
    os.system(build(request.args["name"]))  # source: a  # sink: command-injection a
    return "ok"
