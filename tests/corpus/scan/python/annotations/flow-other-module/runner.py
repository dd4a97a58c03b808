import os


class Runner:
    def start(self, command):
        os.system(command)  # sink: command-injection a
