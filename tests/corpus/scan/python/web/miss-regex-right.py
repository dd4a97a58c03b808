import os
import re

from flask import Flask, request

app = Flask(__name__)


@app.route("/ping")
def index():
    host = request.args["host"]
    if not re.match(r"^[a-z0-9.]+$", host):
        return "bad host"
    os.system("ping " + host)  # safe
    return "ok"
