import ldap3

from flask import Flask, request

app = Flask(__name__)


def find(filter):
    server = ldap3.Server("ldap://localhost")
    connection = ldap3.Connection(server, auto_bind=True)
    connection.search("dc=example,dc=com", filter, attributes=["cn"])  # sink: ldap-injection a
    return connection.entries


@app.route("/people")
def index():
    name = request.cookies.get("name")  # source: a
    return str(len(find(f"(&(objectclass=person)(uid={name}))")))
