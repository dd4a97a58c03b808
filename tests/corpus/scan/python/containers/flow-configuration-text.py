import configparser
import os

from flask import Flask, request

app = Flask(__name__)


def load(text):
    parser = configparser.ConfigParser()
    parser.read_string(text)
    return parser


@app.route("/")
def index():
    settings = load(request.args["settings"])  # source: a
    os.system(settings.get("job", "command", fallback="ls"))  # sink: command-injection a
    return "ok"
