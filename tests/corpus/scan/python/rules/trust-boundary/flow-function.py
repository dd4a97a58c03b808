from flask import Flask, request, session

app = Flask(__name__)


@app.route("/")
def index():
    def store(value):
        session["value"] = value  # sink: trust-boundary a

    store(request.args["value"])  # source: a
    return "ok"
