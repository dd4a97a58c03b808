import base64
import pickle
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    pickle.loads(base64.b64decode(request.args["data"]))  # source: a  # sink: unsafe-deserialization a
    return "ok"
