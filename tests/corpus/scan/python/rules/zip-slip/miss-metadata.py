import importlib.metadata
import os
import zipfile


def folder_of(archive):
    for name in archive.namelist():
        if name.endswith(".dist-info/METADATA"):
            return os.path.dirname(name)
    raise ValueError("no metadata")


def summary(file):
    with zipfile.ZipFile(file) as archive:
        folder = folder_of(archive)
    metadata = importlib.metadata.Distribution.at(os.path.join("/srv", folder)).metadata
    os.makedirs("/srv/" + metadata["Name"])  # safe: what a file holds is not its name


summary(input())
