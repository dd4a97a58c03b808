from flask import Flask, make_response, request

app = Flask(__name__)


@app.route("/")
def index():
    response = make_response("<b>" + request.args["name"])  # source: a  # sink: xss a
    return response
