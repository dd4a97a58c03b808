import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    os.system("kill " + str(int(request.args["name"])))  # source: a  # safe
    return "ok"
