from flask import Flask, make_response, request

app = Flask(__name__)


@app.route("/cookie")
def index():
    response = make_response("saved")
    response.set_cookie("SomeCookie", "value", path=request.path, secure=True, httponly=True)  # safe
    return response
