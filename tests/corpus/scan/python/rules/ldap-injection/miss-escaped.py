import ldap
import ldap.filter
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    connection = ldap.initialize("ldap://a")
    name = ldap.filter.escape_filter_chars(request.args["name"])  # source: a
    connection.search_s("dc=a", 2, "(uid=%s)" % name)  # safe
    return "ok"
