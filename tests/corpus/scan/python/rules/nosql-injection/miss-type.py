from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    users = app.config["users"]
    if isinstance(name, str):
        users.find_one({"name": name})  # safe
    return "ok"
