import re
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    re.compile(re.escape(request.args["pattern"]))  # source: a  # safe
    return "ok"
