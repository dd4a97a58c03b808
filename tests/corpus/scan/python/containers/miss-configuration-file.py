import configparser
import os

from flask import Flask, request

app = Flask(__name__)


def load(name):
    parser = configparser.ConfigParser()
    parser.read("settings.ini")
    parser.set("job", "name", name)
    return parser


@app.route("/")
def index():
    settings = load(request.args["name"])
    os.system(settings.get("job", "command", fallback="ls"))  # safe
    return "ok"
