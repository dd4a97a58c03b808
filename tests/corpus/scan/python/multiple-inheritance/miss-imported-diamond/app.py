from flask import Flask, request

from mixins import Left, Right

app = Flask(__name__)


class Both(Left, Right):
    pass


@app.route("/")
def index():
    Both().run(request.args["c"])
    return "ok"
