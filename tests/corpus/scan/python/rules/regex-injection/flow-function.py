import re
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    def find(pattern, text):
        return re.match(pattern, text)  # sink: regex-injection a

    find(request.args["pattern"], "a")  # source: a
    return "ok"
