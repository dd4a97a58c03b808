import tarfile


def unpack(name):
    with tarfile.open(name) as archive:  # source: a
        archive.extractall("/srv/files")  # sink: zip-slip a


unpack("upload.tar")
