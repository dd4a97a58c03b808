import os

from flask import Flask, request

app = Flask(__name__)


class Base:
    def build(self, name):
        return "ls " + name


class Derived(Base):
    def build(self, name):
        return "ls"


@app.route("/")
def index():
    os.system(Derived().build(request.args["name"]))  # source: a  # safe
    return "ok"
