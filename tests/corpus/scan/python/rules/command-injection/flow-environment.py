import os
import subprocess


def installer():
    folder = os.environ.get("TOOL_FOLDER")  # source: a
    return os.path.join(folder, "Installer", "find.exe")


subprocess.run([installer(), "-latest"])  # sink: command-injection a
