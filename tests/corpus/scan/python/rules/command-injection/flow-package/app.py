from flask import Flask, request

from jobs import archive

app = Flask(__name__)


@app.route("/archive")
def handler():
    archive.create(request.args.get("name"))  # source: a
    return "done"
