from flask import Flask, request, session

app = Flask(__name__)


@app.route("/")
def index():
    role = request.args["role"]  # source: a
    if role in ("reader", "writer"):
        session["role"] = role  # safe
    return "ok"
