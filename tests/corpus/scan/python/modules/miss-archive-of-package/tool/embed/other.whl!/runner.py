import os


def run(command):
    os.system(command)  # safe: archives inside of a package do not see each other
