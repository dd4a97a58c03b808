import ldap3
from flask import Flask, request

from checks import clean

app = Flask(__name__)


@app.route("/", methods=["POST"])
def index():
    value = clean(request.args["v"])  # source: a
    ldap3.Connection("a").search("dc=a", "(cn=" + value + ")")  # safe
    return "ok"
