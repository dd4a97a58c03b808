try:
    from backports import tarfile
except ImportError:
    import tarfile


def unpack(name):
    with tarfile.open(name) as archive:  # source: a
        archive.extractall("/srv")  # sink: zip-slip a


unpack(input())
