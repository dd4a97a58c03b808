import os
import zipfile


def is_within(folder, target):
    folder_path = os.path.abspath(folder)
    target_path = os.path.abspath(target)
    return target_path == folder_path or target_path.startswith(folder_path + os.sep)


def unpack(name, folder, work):
    with zipfile.ZipFile(name) as archive:
        for entry in archive.namelist():  # source: a
            path = os.path.join(folder, entry)
            if not is_within(folder, work):
                raise ValueError(path)
            os.makedirs(path)  # sink: zip-slip a


unpack(input(), input(), input())
