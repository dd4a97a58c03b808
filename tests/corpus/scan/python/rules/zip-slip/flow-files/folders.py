import os


def write(name, data):
    with open(os.path.join("/srv/files", name), "wb") as out:  # sink: zip-slip a
        out.write(data)
