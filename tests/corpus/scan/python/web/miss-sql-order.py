import psycopg2

from flask import Flask, request

app = Flask(__name__)


def rows(column):
    with psycopg2.connect("dbname=shop") as connection:
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM users ORDER BY {}".format(column))  # safe
            return cursor.fetchall()


@app.route("/users")
def index():
    order = request.args.get("order")  # source: a
    if order not in ("name", "age", "id"):
        return "no order"
    return str(len(rows(order)))
