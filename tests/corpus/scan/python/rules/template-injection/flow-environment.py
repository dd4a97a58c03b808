import jinja2
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    def render(text):
        return jinja2.Environment().from_string(text).render()  # sink: template-injection a

    render(request.args["name"])  # source: a
    return "ok"
