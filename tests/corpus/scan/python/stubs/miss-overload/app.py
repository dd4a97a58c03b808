from flask import Flask, request

from worker import Maker

app = Flask(__name__)


@app.route("/")
def index():
    Maker().make("shell").start(request.args["c"])
    return "ok"
