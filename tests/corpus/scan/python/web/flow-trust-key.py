from flask import Flask, request, session

app = Flask(__name__)


@app.route("/as")
def index():
    param = request.form.get("key")  # source: a
    session[param] = "12345"  # sink: trust-boundary a
    return "ok"
