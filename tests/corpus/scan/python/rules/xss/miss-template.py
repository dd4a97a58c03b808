from flask import Flask, render_template, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    return render_template("a.html", name=name)  # safe
