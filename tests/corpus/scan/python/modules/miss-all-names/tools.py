import os

__all__ = ["show"]


def run(command):
    os.system(command)  # safe


def show(command):
    print(len(command))
