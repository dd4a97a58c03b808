import pymongo
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    db = pymongo.MongoClient()["db"]
    db.users.find_one({"name": str(request.args["name"])})  # source: a  # safe
    return "ok"
