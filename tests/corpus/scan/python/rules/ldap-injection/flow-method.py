import ldap3
from flask import Flask, request

app = Flask(__name__)


class Task:
    def __init__(self, value):
        self.value = value

    def run(self):
        ldap3.Connection("a").search("dc=a", "(cn=" + self.value + ")")  # sink: ldap-injection a


@app.route("/")
def index():
    task = Task(request.args["v"])  # source: a
    task.run()
    return "ok"
