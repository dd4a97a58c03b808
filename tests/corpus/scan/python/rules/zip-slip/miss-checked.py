import os
import zipfile


def unpack(name):
    folder = os.path.realpath("/srv/files")
    with zipfile.ZipFile(name) as archive:
        for entry in archive.namelist():
            path = os.path.realpath(os.path.join(folder, entry))
            if not path.startswith(folder + os.sep):
                raise ValueError(entry)
            with open(path, "wb") as out:  # safe
                out.write(archive.read(entry))


unpack("upload.zip")
