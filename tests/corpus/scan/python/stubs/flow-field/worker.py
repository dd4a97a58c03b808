from registry import plugins


class Service:
    def __init__(self):
        self.shell = plugins["shell"]

    def work(self, command):
        self.shell.start(command)
