from django.http import HttpResponse
from flask import Flask, request

app = Flask(__name__)


def logged(function):
    def wrapper(*args, **kwargs):
        print("call")
        return function(*args, **kwargs)

    return wrapper


@logged
def run(value):
    return HttpResponse(value, content_type="text/plain")  # safe


@app.route("/")
def index():
    answer = run(request.args["value"])
    return answer
