import subprocess
import sys
import tempfile


def show(text, encoding):
    with tempfile.NamedTemporaryFile("w", encoding=encoding, delete=False) as file:
        file.write(text)
    subprocess.call(["less", file.name])
    subprocess.call("less " + file.name, shell=True)  # safe: the encoding is no part of the name


show("text", sys.argv[1])
