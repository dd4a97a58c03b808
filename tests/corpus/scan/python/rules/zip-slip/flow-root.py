import os
import zipfile


def unpack(name, folder):
    with zipfile.ZipFile(name) as archive:
        for entry in archive.namelist():  # source: a
            path = os.path.join(folder, entry)
            # Every absolute path begins with a slash.
            if not os.path.abspath(path).startswith("/"):
                raise ValueError(path)
            os.makedirs(path)  # sink: zip-slip a


unpack(input(), input())
