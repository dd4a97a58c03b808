import httpx
from flask import Flask, request

app = Flask(__name__)


def logged(function):
    def wrapper(*args, **kwargs):
        print("call")
        return function(*args, **kwargs)

    return wrapper


@logged
def run(value):
    httpx.get("https://example.com/a?q=" + value)  # safe


@app.route("/")
def index():
    answer = run(request.args["value"])
    return str(answer is None)
