import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/file")
def index():
    param = request.headers.get("X-File")  # source: a
    table = {}
    table["keyA"] = "a-Value"
    table["keyB"] = param
    table["keyC"] = "another-Value"
    bar = table["keyB"]
    bar = table["keyA"]
    os.remove(os.path.join("/srv/files", bar))  # safe
    return "ok"
