import os
import sys


class Fraction:
    def __init__(self, text):
        self.text = text

    def __truediv__(self, other):
        return self.text


def show(folder):
    os.system("ls " + str(folder / "file"))  # sink: command-injection a


show(Fraction(sys.argv[1]))  # source: a
