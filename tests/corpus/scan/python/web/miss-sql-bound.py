import psycopg2

from flask import Flask, request

app = Flask(__name__)
connection = psycopg2.connect("dbname=shop")


def rows(name):
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM users WHERE name = %s", (name,))  # safe
        return cursor.fetchall()


@app.route("/users")
def index():
    return str(len(rows(request.form["name"])))
