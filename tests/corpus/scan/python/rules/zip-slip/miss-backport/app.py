try:
    from backports import tarfile
except ImportError:
    import tarfile


def unpack(name):
    with tarfile.open(name) as archive:
        archive.extractall("/srv", filter=tarfile.data_filter)  # safe


unpack(input())
