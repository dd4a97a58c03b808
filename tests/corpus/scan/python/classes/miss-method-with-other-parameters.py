import os
import sys


class Runner:
    def launch(self, command):
        os.system(command)  # safe: the call has more arguments


def work(runner):
    runner.launch(sys.argv[1], 1, 2)


print(Runner(), work)
