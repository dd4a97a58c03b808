import hashlib

from flask import Flask, request

app = Flask(__name__)


@app.route("/password")
def index():
    algorithms = ["sha512", "sha384", "md5"]
    digest = hashlib.new(algorithms[0])
    digest.update(request.form["password"].encode())
    return digest.hexdigest()  # safe
