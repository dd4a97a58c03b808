from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    def find(users, name):
        return users.find_one({"name": name})  # sink: nosql-injection a

    find(app.config["users"], request.args["name"])  # source: a
    return "ok"
