import runner

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    runner.run(request.args["name"])  # source: a
    return "ok"
