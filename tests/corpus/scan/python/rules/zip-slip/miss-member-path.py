import os
import tarfile


def unpack(name, folder):
    archive = tarfile.open(name)
    for number, member in enumerate(archive.getmembers()):
        archive._extract_member(member, os.path.join(folder, str(number)))  # safe: the path is not the name of the entry


unpack(input(), input())
