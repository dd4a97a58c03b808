from flask import Flask, request

app = Flask(__name__)


@app.route("/hello")
def index():
    names = request.args.getlist("name")  # source: a
    response = ""
    for name in names:
        response += f"<li>{name}</li>"
    response += "</ul>"
    return response  # sink: xss a
