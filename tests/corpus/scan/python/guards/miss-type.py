import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.get_json()
    if isinstance(name, int):
        os.system("kill %s" % name)  # safe
    if str(name).isalnum():
        pass
    return "ok"
