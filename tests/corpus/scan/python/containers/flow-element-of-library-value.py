import os
import sys

from registry import make


def fill(key):
    values = make("values")
    values[key] = sys.argv[1]  # source: a
    return values


def show(values):
    os.system(values.command)  # sink: command-injection a


show(fill(input()))
