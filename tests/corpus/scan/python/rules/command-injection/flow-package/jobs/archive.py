import os


def create(name):
    command = "tar czf out.tgz " + name
    os.system(command)  # sink: command-injection a
