from markupsafe import escape

from flask import Flask, request

app = Flask(__name__)


def item(name):
    return "<li>" + str(escape(name)) + "</li>"


@app.route("/hello")
def index():
    return "".join(item(name) for name in request.args.getlist("name"))
