from flask import Flask, request

from tools import *
from other import _run

app = Flask(__name__)


@app.route("/")
def index():
    return str(_run(request.args["c"]))
