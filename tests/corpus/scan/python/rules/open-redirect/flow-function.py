from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/")
def index():
    def go(target):
        return redirect(target)  # sink: open-redirect a

    response = go(request.args["next"])  # source: a
    return response
