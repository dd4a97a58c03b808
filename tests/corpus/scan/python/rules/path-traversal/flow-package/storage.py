import os


class Storage:
    def __init__(self, root):
        self.root = root

    def read(self, name):
        with open(os.path.join(self.root, name)) as file:  # sink: path-traversal a
            return file.read()
