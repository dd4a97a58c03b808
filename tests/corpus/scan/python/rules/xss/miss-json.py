from flask import Flask, jsonify, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    return jsonify(name=name)  # safe
