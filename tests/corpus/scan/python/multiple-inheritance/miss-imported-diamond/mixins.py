import os

from base import Base


class Left(Base):
    def name(self):
        return "left"


class Right(Base):
    def run(self, command):
        print(len(command))
