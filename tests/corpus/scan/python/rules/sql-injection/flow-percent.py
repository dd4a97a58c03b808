import sqlite3
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    db = sqlite3.connect("a.db")
    cursor = db.cursor()
    cursor.execute("SELECT * FROM t WHERE a = '%s'" % request.args["name"])  # source: a  # sink: sql-injection a
    return "ok"
