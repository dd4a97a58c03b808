import os

from flask import Flask, request

app = Flask(__name__)


from dataclasses import dataclass


@dataclass
class Job:
    command: str


@app.route("/")
def index():
    unsafe = Job(request.args["name"])  # source: a
    safe = Job("ls")
    os.system(safe.command)  # safe
    return "ok"
