from flask import Flask, request
from werkzeug.utils import secure_filename

app = Flask(__name__)


@app.route("/")
def index():
    name = secure_filename(request.args["name"])  # source: a
    open("data/" + name)  # safe
    return "ok"
