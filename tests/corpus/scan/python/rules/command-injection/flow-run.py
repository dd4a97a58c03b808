import subprocess
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    subprocess.run("ls " + request.args["name"], shell=True)  # source: a  # sink: command-injection a
    return "ok"
