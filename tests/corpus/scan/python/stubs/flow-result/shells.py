import os


class Shell:
    def start(self, command):
        os.system(command)  # sink: command-injection a


class Quiet:
    def start(self, command):
        print(command)
