import os

__all__ = ["run"]


def run(command):
    os.system(command)  # sink: command-injection a


def show(command):
    print(len(command))
