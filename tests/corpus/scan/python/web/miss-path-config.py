import configparser

from flask import Flask, request

app = Flask(__name__)


def through(param):
    config = configparser.ConfigParser()
    config.add_section("section")
    config.set("section", "keyA", "a-Value")
    config.set("section", "keyB", param)
    return config.get("section", "keyA")


@app.route("/file")
def index():
    file = open(through(request.args.get("name")), "rb")  # source: a
    return file.read()
