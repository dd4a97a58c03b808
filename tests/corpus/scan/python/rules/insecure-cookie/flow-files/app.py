from flask import Flask, make_response

from cookies import remember

app = Flask(__name__)


@app.route("/")
def index():
    response = make_response("ok")  # source: a
    remember(response, "1")
    return response
