import sqlite3


def handle(value):
    sqlite3.connect("a").execute(f"DELETE FROM t WHERE n = '{value}'")  # sink: sql-injection a
