import os
import sys

from load import load


def prepare():
    for folder in sys.path:
        os.makedirs(folder)  # sink: zip-slip a


sys.path = ["/srv"]
load(input())
prepare()
