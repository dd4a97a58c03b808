from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    def find(cursor, name):
        cursor.execute(f"SELECT * FROM t WHERE a = '{name}'")  # sink: sql-injection a

    find(app.config["cursor"], request.args["name"])  # source: a
    return "ok"
