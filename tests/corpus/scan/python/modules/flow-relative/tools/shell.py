from . import low


def run(command):
    low.run(command)
