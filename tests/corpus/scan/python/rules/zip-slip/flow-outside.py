import os
import zipfile


def is_outside(folder, target):
    target_path = os.path.abspath(target)
    return not target_path.startswith(os.path.abspath(folder) + os.sep)


def unpack(name, folder):
    with zipfile.ZipFile(name) as archive:
        for entry in archive.namelist():  # source: a
            path = os.path.join(folder, entry)
            if is_outside(folder, path):
                os.makedirs(path)  # sink: zip-slip a


unpack(input(), input())
