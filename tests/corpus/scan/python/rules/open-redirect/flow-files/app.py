from flask import Flask, request

from service import handle

app = Flask(__name__)


@app.route("/", methods=["POST"])
def index():
    return handle(request.args["v"])  # source: a
