import os


def handle(value):
    os.system("ls " + value)  # sink: command-injection a
