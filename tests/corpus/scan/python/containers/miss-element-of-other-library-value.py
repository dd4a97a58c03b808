import os
import sys

from registry import make


def fill(key):
    values = make("values")
    values[key] = sys.argv[1]
    return values


def show():
    other = make("other")
    os.system(other.command)  # safe: the element is one of another value


fill(input())
show()
