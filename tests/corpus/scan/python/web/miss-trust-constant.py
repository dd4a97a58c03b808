from flask import Flask, request, session

app = Flask(__name__)


@app.route("/as")
def index():
    param = request.form.get("key")
    bar = "alsosafe"
    if param:
        values = ["safe", param, "moresafe"]
        values.pop(0)
        bar = values[1]
    session["user"] = bar  # safe
    return "ok"
