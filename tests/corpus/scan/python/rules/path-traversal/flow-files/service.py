import os


def handle(value):
    open(os.path.join("/srv/files", value))  # sink: path-traversal a
