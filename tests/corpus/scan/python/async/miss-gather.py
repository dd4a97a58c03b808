import os

from flask import Flask, request

app = Flask(__name__)


import asyncio


async def read(name):
    return name


@app.route("/")
async def index():
    first, second = await asyncio.gather(read("ls"), read(request.args["name"]))  # source: a
    os.system(first)  # safe
    return "ok"
