import sys

from flask import Flask, request

sys.path.insert(0, __path__[0] + "/_vendor")

import runner

app = Flask(__name__)


@app.route("/")
def index():
    runner.run(request.args["name"])  # source: a
    return "ok"
