import sqlite3

from flask import Flask, request

app = Flask(__name__)


@app.route("/item")
def index():
    number = request.args.get("id")
    try:
        int(number)
    except ValueError:
        return "bad number"
    connection = sqlite3.connect("items.db")
    return str(connection.execute("SELECT * FROM items WHERE id = " + number).fetchone())  # safe
