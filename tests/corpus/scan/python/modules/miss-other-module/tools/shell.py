import os


def run(command):
    os.system(command)  # safe


run("ls")
