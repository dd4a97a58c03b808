import os


def _run(command):
    os.system(command)  # safe
