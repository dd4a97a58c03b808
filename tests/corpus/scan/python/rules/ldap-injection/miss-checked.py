import ldap
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    name = request.args["name"]  # source: a
    connection = ldap.initialize("ldap://a")
    if name.isalnum():
        connection.search_s("dc=a", 2, "(uid=%s)" % name)  # safe
    return "ok"
