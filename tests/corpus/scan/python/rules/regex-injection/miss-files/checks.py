import re


def clean(value):
    return re.escape(value)
