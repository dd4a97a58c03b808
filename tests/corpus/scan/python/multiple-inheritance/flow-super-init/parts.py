class Part:
    def __init__(self, command):
        self.command = "ls"


class Named(Part):
    def __init__(self, command):
        super().__init__(command)
        self.name = "job"


class Kept(Part):
    def __init__(self, command):
        self.command = command
