import subprocess
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    subprocess.run(["ls", request.args["name"]])  # source: a  # safe
    return "ok"
