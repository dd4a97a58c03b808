from flask import Flask, request

from other import *
from tools import *

app = Flask(__name__)


@app.route("/")
def index():
    run(request.args["c"])  # source: a
    return "ok"
