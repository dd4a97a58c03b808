import os
import zipfile


def is_within(folder, target, follow=False):
    if follow:
        folder_path = os.path.realpath(folder)
        target_path = os.path.realpath(target)
    else:
        folder_path = os.path.abspath(folder)
        target_path = os.path.abspath(target)
    return target_path == folder_path or target_path.startswith(os.path.join(folder_path, ""))


def unpack(name, folder):
    with zipfile.ZipFile(name) as archive:
        for entry in archive.infolist():
            path = os.path.join(folder, entry.filename)
            if not is_within(folder, path):
                raise ValueError(path)
            with open(path, "wb") as out:  # safe
                out.write(archive.read(entry))


unpack(input(), input())
