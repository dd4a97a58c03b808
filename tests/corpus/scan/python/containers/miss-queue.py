import os
from collections import deque

from flask import Flask, request

app = Flask(__name__)


def build(command):
    queue = deque()
    queue.append("ls")
    queue.append(command)
    queue.popleft()
    queue.appendleft("date")
    return queue.popleft()


@app.route("/")
def index():
    os.system(build(request.args["c"]))  # safe
    return "ok"
