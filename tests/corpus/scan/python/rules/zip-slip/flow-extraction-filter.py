import tarfile


def unpack(name, folder):
    archive = tarfile.open(name)  # source: a
    try:
        archive.extraction_filter = tarfile.fully_trusted_filter
        archive.extractall(folder)  # sink: zip-slip a
    finally:
        archive.close()


unpack(input(), input())
