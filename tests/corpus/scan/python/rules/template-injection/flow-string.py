from flask import Flask, render_template_string, request

app = Flask(__name__)


@app.route("/")
def index():
    text = render_template_string("Hi " + request.args["name"])  # source: a  # sink: template-injection a
    return "ok"
