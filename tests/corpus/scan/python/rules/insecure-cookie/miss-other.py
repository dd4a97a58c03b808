from flask import Flask, make_response, request

app = Flask(__name__)


@app.route("/")
def index():
    response = make_response("ok")
    response.set_cookie("a", "b", httponly=True, secure=True)  # safe
    return response
