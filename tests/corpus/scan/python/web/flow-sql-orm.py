from sqlalchemy import create_engine, text

from flask import Flask, request

app = Flask(__name__)
engine = create_engine("sqlite:///users.db")


class Users:
    def find(self, name):
        with engine.connect() as connection:
            query = "SELECT * FROM users WHERE name = '%s'" % name
            return connection.execute(text(query)).all()  # sink: sql-injection a


@app.route("/users/<name>")
def index(name):  # source: a
    return str(len(Users().find(name)))
