from flask import Flask, request, session

app = Flask(__name__)


def remember(user):
    session["user"] = user  # sink: trust-boundary a


@app.route("/as")
def index():
    remember(request.headers["X-User"])  # source: a
    return "ok"
