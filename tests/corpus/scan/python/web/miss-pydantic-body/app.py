import sqlite3

from fastapi import FastAPI

from models import Item

app = FastAPI()


@app.post("/items")
def add(item: Item):
    db = sqlite3.connect("items.db")
    db.execute(f"INSERT INTO items VALUES ({item.count}, '{item.kind}', '{item.id}')")  # safe
    return {"ok": True}
