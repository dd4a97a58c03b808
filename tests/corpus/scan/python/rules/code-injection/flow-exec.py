from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    code = "x = " + request.args["code"]  # source: a
    exec(code)  # sink: code-injection a
    return "ok"
