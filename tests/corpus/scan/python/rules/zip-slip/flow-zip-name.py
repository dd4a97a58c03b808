import os
import zipfile


def unpack(name):
    with zipfile.ZipFile(name) as archive:
        for entry in archive.namelist():  # source: a
            path = os.path.join("/srv/files", entry)
            with open(path, "wb") as out:  # sink: zip-slip a
                out.write(archive.read(entry))


unpack("upload.zip")
