from flask import Flask, request

from service import handle

app = Flask(__name__)


@app.route("/", methods=["POST"])
def index():
    handle(request.args["v"])  # source: a
    return "ok"
