import ldap3
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    connection = ldap3.Connection("a")
    connection.search("dc=a", "(uid=" + request.args["name"] + ")")  # source: a  # sink: ldap-injection a
    return "ok"
