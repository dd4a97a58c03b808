import os
import zipfile


def unpack(archive: zipfile.ZipFile):
    for name in archive.namelist():  # source: a
        os.makedirs("/srv/" + name)  # sink: zip-slip a
