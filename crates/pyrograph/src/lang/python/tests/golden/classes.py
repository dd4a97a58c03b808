class Base:
    name = "base"

    def __init__(self, x):
        self.x = x

    @staticmethod
    def make(y):
        return Base(y)

    @classmethod
    def other(cls, y):
        return cls(y)

    @property
    def value(self):
        return self.x

class Derived(Base):
    def __init__(self, x):
        super().__init__(x)

    def make(self, y):
        Base.make(self, y)
        return super().make(y)

class Empty(Base):
    pass
