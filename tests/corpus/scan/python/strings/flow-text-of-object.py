import os
import sys


class Folder:
    def __init__(self, name):
        self.name = name

    def __str__(self):
        return self.name


def show(folder):
    text = str(folder)
    os.system("ls " + text.strip())  # sink: command-injection a


show(Folder(sys.argv[1]))  # source: a
