import pymongo
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    db = pymongo.MongoClient()["db"]
    query = request.get_json()  # source: a
    db.users.delete_many(query)  # sink: nosql-injection a
    return "ok"
