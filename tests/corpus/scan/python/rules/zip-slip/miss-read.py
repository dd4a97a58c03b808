import tarfile


def names(path):
    with tarfile.open(path) as archive:
        return archive.getnames()


def show(path):
    for name in names(path):
        with open(name) as file:  # safe
            print(len(file.read()))


show(input())
