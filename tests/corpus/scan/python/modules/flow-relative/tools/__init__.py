from .shell import run
