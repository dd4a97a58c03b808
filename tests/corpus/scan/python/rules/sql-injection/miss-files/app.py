import sqlite3
from flask import Flask, request

from checks import clean

app = Flask(__name__)


@app.route("/", methods=["POST"])
def index():
    value = clean(request.args["v"])  # source: a
    sqlite3.connect("a").execute(f"DELETE FROM t WHERE n = '{value}'")  # safe
    return "ok"
