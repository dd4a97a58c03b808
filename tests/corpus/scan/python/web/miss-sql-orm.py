from sqlalchemy import create_engine, text

from flask import Flask, request

app = Flask(__name__)
engine = create_engine("sqlite:///users.db")


class Users:
    def find(self, name):
        with engine.connect() as connection:
            query = text("SELECT * FROM users WHERE name = :name")
            return connection.execute(query, {"name": name}).all()  # safe


@app.route("/users/<name>")
def index(name):
    return str(len(Users().find(name)))
