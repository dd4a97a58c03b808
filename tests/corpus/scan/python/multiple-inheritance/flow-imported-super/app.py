from flask import Flask, request

import steps

app = Flask(__name__)


class Job(steps.Checked, steps.Last):
    pass


@app.route("/")
def index():
    Job().run(request.args["c"])  # source: a
    return "ok"
