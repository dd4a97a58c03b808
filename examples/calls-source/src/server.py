"""Requests of clients. The places in calls-attributes.csv are lines of this folder."""

from config import load_config
from database import run_query


def parse(text):
    """Splits a request into fields."""
    return dict(field.split("=", 1) for field in text.split("&"))


def read_request(stream):
    text = stream.readline()
    log(text)
    return parse(text)
