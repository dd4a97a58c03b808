import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/sleep/<int:number>")
def index(number):
    os.system("sleep %s" % number)  # safe
    return "ok"
