from pymongo import MongoClient
from flask import Flask, request

app = Flask(__name__)


class Task:
    def __init__(self, value):
        self.value = value

    def run(self):
        MongoClient().shop.users.find_one({"name": self.value})  # sink: nosql-injection a


@app.route("/")
def index():
    task = Task(request.json["name"])  # source: a
    task.run()
    return "ok"
