import lxml.etree

from flask import Flask, request

app = Flask(__name__)


class Store:
    def __init__(self, path):
        self.root = lxml.etree.parse(path)

    def employees(self, name):
        query = "/Employees/Employee[@emplid='" + name + "']"
        return self.root.xpath(query)  # sink: xpath-injection a


@app.route("/employees")
def index():
    return str(len(Store("employees.xml").employees(request.form["id"])))  # source: a
