import zipfile


def unpack(name):
    with zipfile.ZipFile(name) as archive:
        archive.extractall("/srv/files")  # safe


unpack("upload.zip")
