from flask import Flask, request

from storage import Storage

app = Flask(__name__)
storage = Storage("/var/data")


@app.route("/file")
def handler():
    return storage.read(request.args.get("name"))  # source: a
