import marshal
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    def load(data):
        return marshal.loads(data)  # sink: unsafe-deserialization a

    load(request.args["data"])  # source: a
    return "ok"
