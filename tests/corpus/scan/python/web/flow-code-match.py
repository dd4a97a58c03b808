from flask import Flask, request

app = Flask(__name__)


def choose(param):
    possible = "ABC"
    guess = possible[2]
    match guess:
        case "A":
            bar = "1"
        case "B":
            bar = "2"
        case "C" | "D":
            bar = param
        case _:
            bar = "3"
    return bar


@app.route("/calc")
def index():
    return str(eval(choose(request.args.get("expression"))))  # source: a  # sink: code-injection a
