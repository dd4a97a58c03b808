from flask import Flask, request

app = Flask(__name__)


def second(param):
    values = []
    values.append("safe")
    values.append(param)
    values.append("moresafe")
    values.pop(0)
    return values[0]


@app.route("/file")
def index():
    with open("/srv/" + second(request.args["name"])) as file:  # source: a  # sink: path-traversal a
        return file.read()
