import ldap
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    connection = ldap.initialize("ldap://a")
    connection.search_s("dc=a", 2, "(uid=%s)" % request.args["name"])  # source: a  # sink: ldap-injection a
    return "ok"
