import os
import shlex
import subprocess


def page(text):
    command = shlex.split(os.environ.get("PAGER", "less"))
    subprocess.run(command, input=text)  # safe


page(b"text")
