import os
import zipfile


def unpack(file, folder):
    with zipfile.ZipFile(file) as archive:
        for name in archive.namelist():  # source: a
            if "." in name.split("/"):
                continue
            os.makedirs(os.path.join(folder, name))  # sink: zip-slip a


unpack(input(), input())
