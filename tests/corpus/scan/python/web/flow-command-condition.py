import subprocess

from flask import Flask, request

app = Flask(__name__)


@app.route("/run", methods=["GET", "POST"])
def index():
    param = request.form.get("name")  # source: a
    if not param:
        param = ""
    num = 86
    if 7 * 42 - num > 200:
        bar = param
    else:
        bar = "constant"
    result = subprocess.run(f"echo {bar}", shell=True, capture_output=True)  # sink: command-injection a
    return str(result.returncode)
