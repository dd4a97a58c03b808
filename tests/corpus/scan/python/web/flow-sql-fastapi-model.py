import sqlite3

from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Item(BaseModel):
    name: str
    price: float


@app.post("/items")
def create(item: Item):  # source: a
    connection = sqlite3.connect("items.db")
    connection.execute(f"INSERT INTO items VALUES ('{item.name}')")  # sink: sql-injection a
    return {"ok": True}
