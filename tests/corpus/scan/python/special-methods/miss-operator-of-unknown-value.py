import os
import sys

from measure import unit


class Fraction:
    def __init__(self, text):
        self.text = text

    def __truediv__(self, other):
        return self.text


fraction = Fraction(sys.argv[1])
print(fraction / 2)


def show(folder):
    os.system("ls " + str(folder / "file"))  # safe: nobody passes a fraction


show(unit("folder"))
