from flask import Flask, request
from registry import plugins

import worker

app = Flask(__name__)


@app.route("/")
def index():
    worker.work(plugins["shell"], request.args["c"])  # source: a
    return "ok"
