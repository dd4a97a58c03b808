from pymongo import MongoClient
from flask import Flask, request

from checks import clean

app = Flask(__name__)


@app.route("/", methods=["POST"])
def index():
    value = clean(request.json["name"])  # source: a
    MongoClient().shop.users.find_one({"name": value})  # safe
    return "ok"
