import lxml.etree

from flask import Flask, request

app = Flask(__name__)


@app.route("/employees")
def index():
    name = request.form["id"]
    if "'" in name:
        return "bad name"
    root = lxml.etree.parse("employees.xml")
    return str(len(root.xpath("/Employees/Employee[@emplid='" + name + "']")))  # safe
