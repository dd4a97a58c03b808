from flask import Flask, make_response, request

from pages import greeting

app = Flask(__name__)


@app.route("/hello")
def handler():
    page = greeting(request.args.get("name"))  # source: a
    return make_response(page)  # sink: xss a
