import ast
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    value = ast.literal_eval(request.args["code"])  # source: a
    print(value)
    return "ok"
