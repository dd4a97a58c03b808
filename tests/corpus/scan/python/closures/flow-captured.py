import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a

    def run():
        os.system(name)  # sink: command-injection a

    run()
    return "ok"
