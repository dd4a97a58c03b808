import tarfile

from folders import write


def unpack(name):
    archive = tarfile.open(name)  # source: a
    for member in archive.getmembers():
        write(member.name, archive.extractfile(member).read())


unpack("upload.tar")
