from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    def find(connection, name):
        connection.search_s("dc=a", 2, f"(uid={name})")  # sink: ldap-injection a

    find(app.config["ldap"], request.args["name"])  # source: a
    return "ok"
