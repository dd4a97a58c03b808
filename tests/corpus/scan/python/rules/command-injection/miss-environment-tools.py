import os
import subprocess

# Users choose their own tools.
subprocess.run([os.environ["RANLIB"], "a.o"])  # safe


def installer():
    folder = os.environ.get("ProgramFiles(x86)") or os.environ.get("ProgramFiles")
    return os.path.join(folder, "Installer", "find.exe")


subprocess.run([installer(), "-latest"])  # safe
subprocess.run([os.environ.get("ARFLAGS", "rcs"), "a.o"])  # safe
