import sqlite3

from fastapi import FastAPI

from models import Item

app = FastAPI()


@app.post("/items")
def add(item: Item):  # source: a
    db = sqlite3.connect("items.db")
    db.execute(f"INSERT INTO items VALUES ('{item.name}')")  # sink: sql-injection a
    return {"ok": True}
