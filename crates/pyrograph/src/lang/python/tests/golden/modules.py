import os
import os.path
import a.b as c
from . import d
from .e import f as g
from h import *

def use():
    return os.path.join(c.x, d, g, unknown)
