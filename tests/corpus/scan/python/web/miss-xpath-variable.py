import lxml.etree

from flask import Flask, request

app = Flask(__name__)


class Store:
    def __init__(self, path):
        self.root = lxml.etree.parse(path)

    def employees(self, name):
        return self.root.xpath("/Employees/Employee[@emplid=$name]", name=name)  # safe


@app.route("/employees")
def index():
    return str(len(Store("employees.xml").employees(request.form["id"])))
