import sqlite3
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    db = sqlite3.connect("a.db")
    db.execute("SELECT * FROM t WHERE a = ?", (request.args["name"],))  # source: a  # safe
    return "ok"
