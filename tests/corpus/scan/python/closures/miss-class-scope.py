import os

from flask import Flask, request

app = Flask(__name__)


command = "ls"


class Job:
    command = request.path

    def run(self):
        os.system(command)  # safe


@app.route("/")
def index():
    Job().run()
    return "ok"
