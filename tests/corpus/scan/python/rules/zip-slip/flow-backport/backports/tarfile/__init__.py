import os


class TarInfo:
    def __init__(self, name):
        self.name = name


class TarFile:
    def __init__(self, name):
        self.members = [TarInfo(name)]

    @classmethod
    def open(cls, name):
        return cls(name)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.members.clear()

    def __iter__(self):
        yield from self.members

    def extractall(self, path, filter=None):
        for member in self:
            member = filter(member, path) if filter else member
            os.makedirs(os.path.join(path, member.name))  # safe: the programs that call it are reported


open = TarFile.open
