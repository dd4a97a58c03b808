import os
import sys
import zipfile


def load(name):
    with zipfile.ZipFile(name) as archive:
        for entry in archive.namelist():
            sys.path.insert(0, os.path.join("/srv", entry))


load(input())
