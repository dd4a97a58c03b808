import os

from flask import Flask, request

app = Flask(__name__)


async def read(name):
    return "ls"


@app.route("/")
async def index():
    os.system(await read(request.args["name"]))  # source: a  # safe
    return "ok"
