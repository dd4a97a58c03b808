import os
import tarfile


def unpack(name, folder):
    archive = tarfile.open(name)  # source: a
    for member in archive.getmembers():
        archive._extract_member(member, os.path.join(folder, member.name))  # sink: zip-slip a


unpack(input(), input())
