from flask import session


def handle(value):
    session["role"] = value  # sink: trust-boundary a
