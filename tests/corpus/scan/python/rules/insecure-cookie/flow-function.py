from flask import Flask, make_response, request

app = Flask(__name__)


@app.route("/")
def index():
    def add(response):
        response.set_cookie("a", "b", httponly=True)  # sink: insecure-cookie a

    response = make_response("ok")  # source: a
    add(response)
    return response
