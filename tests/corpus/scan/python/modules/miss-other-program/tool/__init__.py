import os
import sys


def prepare():
    sys.path = ["/srv"] + sys.path
    for folder in sys.path:
        os.makedirs(folder)  # safe: `other` is another program


prepare()
