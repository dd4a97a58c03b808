import os
import zipfile


def contents(archive: zipfile.ZipFile):
    for name in archive.namelist():
        yield archive.read(name)


def show(path):
    with zipfile.ZipFile(path) as archive:
        for text in contents(archive):
            os.makedirs("/srv/" + text.decode())  # safe: the content is not the name


show(input())
