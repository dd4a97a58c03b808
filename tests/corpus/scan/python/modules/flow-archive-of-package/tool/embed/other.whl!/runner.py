import os


def run(command):
    os.system(command)  # sink: command-injection a
