import os
import tarfile


def unpack(path):
    archive = tarfile.open(path)
    os.makedirs(archive.name + ".d")  # safe: the name of the archive itself
    return archive


unpack(input())
