import os
import tarfile


def unpack(path):
    archive = tarfile.open(path)  # source: a
    for member in archive:
        os.makedirs(os.path.join("/srv", member.name))  # sink: zip-slip a


unpack(input())
