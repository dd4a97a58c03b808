import pickle

from flask import Flask, request

app = Flask(__name__)


def copied(value):
    return pickle.loads(pickle.dumps(value))  # safe


@app.route("/")
def index():
    return str(len(copied(request.args["v"])))
