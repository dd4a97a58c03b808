from flask import Flask, request, session

app = Flask(__name__)


def remember(name):
    session.update({"name": "guest"})  # safe


@app.route("/")
def index():
    remember(request.args["n"])
    return "ok"
