import sqlalchemy
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    engine = sqlalchemy.create_engine("sqlite://")
    name = request.args["name"]  # source: a
    engine.connect().exec_driver_sql("SELECT " + name)  # sink: sql-injection a
    return "ok"
