import os
import sys


class Options:
    def __init__(self):
        self.path = "/srv"


options = Options()
setattr(options, sys.argv[1], "constant")
os.system("ls " + getattr(options, input("name")[:0] + "path"))  # safe: names of attributes are not their values
