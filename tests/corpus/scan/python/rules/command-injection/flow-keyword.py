import subprocess
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    command = request.args["name"]  # source: a
    subprocess.check_output(args=command, shell=True)  # sink: command-injection a
    return "ok"
