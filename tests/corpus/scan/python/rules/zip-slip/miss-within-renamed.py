import os
import zipfile


def is_inside(path, folder):
    path = os.path.abspath(path)
    folder = os.path.abspath(folder)
    return path == folder or path.startswith(folder + os.sep)


def unpack(name, folder):
    with zipfile.ZipFile(name) as archive:
        for entry in archive.namelist():
            path = os.path.join(folder, entry)
            if not is_inside(path, folder):
                raise ValueError(path)
            os.makedirs(path)  # safe


unpack(input(), input())
