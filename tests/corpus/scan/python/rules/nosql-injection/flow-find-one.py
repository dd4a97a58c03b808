import pymongo
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    db = pymongo.MongoClient()["db"]
    db.users.find_one({"name": request.args["name"]})  # source: a  # sink: nosql-injection a
    return "ok"
