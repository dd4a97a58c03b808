import os
import zipfile


def is_within(folder, target):
    folder_path = os.path.abspath(folder)
    target_path = os.path.abspath(target)
    prefix = os.path.commonprefix([folder_path, target_path])
    return prefix == folder_path


def unpack(name, folder):
    with zipfile.ZipFile(name) as archive:
        for entry in archive.namelist():
            path = os.path.join(folder, entry)
            if not is_within(folder, path):
                raise ValueError(path)
            os.makedirs(path)  # safe


unpack(input(), input())
