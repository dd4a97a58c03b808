import os

from flask import Flask, request

from parts import Kept, Named

app = Flask(__name__)


class Job(Named, Kept):
    pass


@app.route("/")
def index():
    job = Job(request.args["c"])
    os.system(job.command)  # safe
    return "ok"
