import os.path


def clean(value):
    return os.path.basename(value)
