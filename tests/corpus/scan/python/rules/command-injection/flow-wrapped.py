import subprocess
from flask import Flask, request

app = Flask(__name__)


def logged(function):
    def wrapper(*args, **kwargs):
        print("call")
        return function(*args, **kwargs)

    return wrapper


@logged
def run(value):
    subprocess.Popen(["sh", "-c", value])  # sink: command-injection a


@app.route("/")
def index():
    answer = run(request.args["value"])  # source: a
    return str(answer is None)
