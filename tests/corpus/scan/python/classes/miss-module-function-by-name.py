import os
import sys

import measure


def launch(command):
    os.system(command)  # safe: a function is no method of another module


measure.launch(sys.argv[1])
print(launch)
