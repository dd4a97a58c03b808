import os
import sys


def launch(command):
    os.system(command)  # safe: items are no methods


class Table:
    def __init__(self):
        self.fill(input(), launch)

    def fill(self, key, value):
        setattr(self, key, value)


Table().start(sys.argv[1])
