from flask import make_response


def handle(value):
    return make_response("<b>" + value + "</b>")  # sink: xss a
