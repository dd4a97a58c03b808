from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    return "<h1>" + name + "</h1>"  # sink: xss a
