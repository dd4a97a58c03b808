from flask import Flask, make_response, request

app = Flask(__name__)


@app.route("/cookie")
def index():
    response = make_response("saved")  # source: a
    response.set_cookie("SomeCookie", "value", path=request.path, secure=False, httponly=True)  # sink: insecure-cookie a
    return response
