import os
import shlex
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    os.system("ls " + shlex.quote(request.args["name"]))  # source: a  # safe
    return "ok"
