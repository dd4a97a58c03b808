import sqlite3
from urllib.parse import unquote_plus

from flask import Flask, request

app = Flask(__name__)


def rows(name):
    connection = sqlite3.connect("users.db")
    cursor = connection.cursor()
    cursor.execute("SELECT * FROM users WHERE name = '" + name + "'")  # sink: sql-injection a
    return cursor.fetchall()


@app.route("/users")
def index():
    raw = request.query_string.decode("utf-8")  # source: a
    start = raw.find("name=")
    if start == -1:
        return "no name"
    end = raw.find("&", start)
    value = raw[start + 5 :] if end == -1 else raw[start + 5 : end]
    return str(rows(unquote_plus(value)))
