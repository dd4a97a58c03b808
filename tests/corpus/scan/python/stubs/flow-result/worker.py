from registry import plugins


class Maker:
    def make(self, name):
        return plugins[name]
