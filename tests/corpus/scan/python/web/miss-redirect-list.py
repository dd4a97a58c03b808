from flask import Flask, redirect, request

app = Flask(__name__)
PAGES = {"home": "/", "shop": "/shop"}


def target(name):
    return PAGES.get(name, "/")


@app.route("/go")
def index():
    return redirect(target(request.args.get("page")))  # safe
