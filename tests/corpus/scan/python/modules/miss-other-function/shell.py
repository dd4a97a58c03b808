import os


def run(command):
    os.system(command)  # safe


def log(text):
    print(text)


run("ls")
