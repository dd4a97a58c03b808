import os

from flask import Flask, request

app = Flask(__name__)


import asyncio


async def read(name):
    return name


@app.route("/")
def index():
    os.system(asyncio.run(read(request.args["name"])))  # source: a  # sink: command-injection a
    return "ok"
