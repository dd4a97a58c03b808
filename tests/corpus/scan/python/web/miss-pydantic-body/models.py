from enum import Enum
from uuid import UUID

from pydantic import BaseModel


class Kind(str, Enum):
    SMALL = "small"
    LARGE = "large"


class Item(BaseModel):
    name: str
    count: int
    kind: Kind
    id: UUID
