import tarfile


def unpack(name):
    with tarfile.open(name) as archive:
        archive.extractall("/srv/files", filter="data")  # safe


unpack("upload.tar")
