from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    return redirect("/users/" + name)  # safe
