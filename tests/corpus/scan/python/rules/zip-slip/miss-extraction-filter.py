import tarfile


def check(member, path):
    return tarfile.data_filter(member, path)


def unpack(name, folder):
    archive = tarfile.open(name)
    try:
        archive.extraction_filter = check
        archive.extractall(folder)  # safe
    finally:
        archive.close()


unpack(input(), input())
