import os
from collections import deque

from flask import Flask, request

app = Flask(__name__)


def build(command):
    queue = deque()
    queue.append("ls")
    queue.append(command)
    queue.popleft()
    return queue.popleft()


@app.route("/")
def index():
    os.system(build(request.args["c"]))  # sink: command-injection a # source: a
    return "ok"
