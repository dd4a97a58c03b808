import shlex


def clean(value):
    return shlex.quote(value)
