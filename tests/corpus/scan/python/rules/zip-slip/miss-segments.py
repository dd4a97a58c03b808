import os
import zipfile


def unpack(file, folder):
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            name = entry.filename
            if name.startswith("/") or ".." in name.split("/"):
                continue
            os.makedirs(os.path.join(folder, *name.split("/")))  # safe


unpack(input(), input())
