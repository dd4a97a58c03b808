import subprocess
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    subprocess.call(["sh", "-c", "ls " + request.args["name"]])  # source: a  # sink: command-injection a
    return "ok"
