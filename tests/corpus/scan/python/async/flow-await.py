import os

from flask import Flask, request

app = Flask(__name__)


async def read():
    return request.args["name"]  # source: a


@app.route("/")
async def index():
    os.system(await read())  # sink: command-injection a
    return "ok"
