import os


class Shell:
    def start(self, command):
        os.system(command)


class Quiet:
    def start(self, command):
        print(command)
