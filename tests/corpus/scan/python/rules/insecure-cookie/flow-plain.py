from flask import Flask, make_response, request

app = Flask(__name__)


@app.route("/")
def index():
    response = make_response("ok")  # source: a
    response.set_cookie("a", "b")  # sink: insecure-cookie a
    return response
