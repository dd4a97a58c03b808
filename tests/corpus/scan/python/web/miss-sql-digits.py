import sqlite3

from flask import Flask, abort, request

app = Flask(__name__)


def rows(number):
    connection = sqlite3.connect("users.db")
    return connection.execute("SELECT * FROM users WHERE id = " + number).fetchall()  # safe


@app.route("/users")
def index():
    number = request.args.get("id", "0")  # source: a
    if not number.isdigit():
        abort(400)
    return str(rows(number))
