import re


def handle(value):
    re.search(value, "text")  # sink: regex-injection a
