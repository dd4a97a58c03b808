import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/file")
def index():
    name = request.args["name"]
    if "../" in name or name.startswith("/"):
        return "bad name"
    return open(os.path.join("/srv/files", name)).read()  # safe
