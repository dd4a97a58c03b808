from flask import url_for


def clean(value):
    return url_for("page", name=value)
