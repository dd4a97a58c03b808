from flask import Flask, render_template_string, request

app = Flask(__name__)


def page(title):
    return "<title>" + title + "</title>"


@app.route("/page")
def index():
    return render_template_string(page(request.args.get("title")))  # source: a  # sink: template-injection a
