from shells import Shell

class Maker:
    def make(self, name: str) -> Shell: ...
