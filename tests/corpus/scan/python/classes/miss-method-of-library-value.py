import os
import sys

from measure import unit


class Runner:
    def launch(self, command):
        os.system(command)  # safe: the value of the library is no runner


unit("runner").launch(sys.argv[1])
print(Runner())
