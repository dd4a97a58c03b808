import os
import subprocess

# Users choose their own tools.
subprocess.run([os.environ["RANLIB"], "a.o"])  # safe
