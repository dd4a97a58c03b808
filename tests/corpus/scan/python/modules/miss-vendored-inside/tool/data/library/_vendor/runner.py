import os


def run(command):
    os.system(command)  # safe: `tool` imports another package of this name
