import subprocess
import sys
import tempfile


def show(text, suffix):
    with tempfile.NamedTemporaryFile("w", suffix=suffix, delete=False) as file:
        file.write(text)
    subprocess.call("less " + file.name, shell=True)  # sink: command-injection a


show("text", sys.argv[1])  # source: a
