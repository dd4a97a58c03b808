from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    return f"<b>{name}</b>", 200  # sink: xss a
