import os
import pathlib
import zipfile


def unpack(file, folder):
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():  # source: a
            name = entry.filename
            os.makedirs(os.path.join(folder, *name.split("/")))  # sink: zip-slip a
            pathlib.Path(folder, *name.split("/")).mkdir()  # sink: zip-slip a


unpack(input(), input())
