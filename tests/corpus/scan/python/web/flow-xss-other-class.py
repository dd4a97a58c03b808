import shlex

from flask import Flask, request

app = Flask(__name__)


@app.route("/hello")
def index():
    name = shlex.quote(request.args["name"])  # source: a
    return "<p>Hello " + name + "</p>"  # sink: xss a
