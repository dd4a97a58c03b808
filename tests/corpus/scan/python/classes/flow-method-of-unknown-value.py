import os
import sys


class Runner:
    def launch(self, command):
        os.system(command)  # sink: command-injection a


def work(runner):
    runner.launch(sys.argv[1])  # source: a


print(Runner(), work)
