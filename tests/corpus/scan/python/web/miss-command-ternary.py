import os

from flask import Flask, request

app = Flask(__name__)


def pick(param):
    num = 106
    return "This should never happen" if (7 * 18) + num > 200 else param


@app.route("/run")
def index():
    os.system("ls " + pick(request.cookies.get("folder", "none")))  # source: a
    return "ok"
