from flask import Flask, request
from registry import plugins

from work.jobs import run

app = Flask(__name__)


@app.route("/")
def index():
    run(plugins["shell"], request.args["c"])  # source: a
    return "ok"
