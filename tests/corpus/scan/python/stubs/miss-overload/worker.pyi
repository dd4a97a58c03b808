from typing import Literal, overload

from shells import Quiet, Shell

class Maker:
    @overload
    def make(self, name: Literal["shell"]) -> Shell: ...
    @overload
    def make(self, name: Literal["quiet"]) -> Quiet: ...
