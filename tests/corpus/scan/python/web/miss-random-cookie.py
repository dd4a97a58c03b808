import secrets

from flask import Flask, make_response, request

app = Flask(__name__)


def remember_me():
    return str(secrets.randbelow(10**20))


@app.route("/login")
def index():
    response = make_response("welcome")
    response.set_cookie("rememberMe", remember_me(), httponly=True, secure=True)  # safe
    return response
