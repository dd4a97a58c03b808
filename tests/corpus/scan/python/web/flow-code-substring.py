from flask import Flask, request

app = Flask(__name__)


class Thing:
    def do(self, text):
        return text


def make():
    return Thing()


@app.route("/exec")
def index():
    param = request.form.get("code")  # source: a
    text = "help"
    text += param
    text += "snapes on a plane"
    bar = text[4:-17]
    thing = make()
    exec(thing.do(bar))  # sink: code-injection a
    return "ok"
