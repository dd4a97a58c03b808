"""Access to the database."""

import sqlite3


class Database:
    """A connection that is opened when it is first used."""

    def __init__(self, path):
        self.path = path
        self.connection = None

    def open(self):
        if self.connection is None:
            self.connection = sqlite3.connect(self.path)
        return self.connection

    def close(self):
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def validate(name):
    """Accepts the names of tables only."""
    if not name.isidentifier():
        raise ValueError(name)
    return name


def run_query(database, config):
    table = config["table"]
    return exec_sql(database, "SELECT * FROM " + table)


def rows_of(cursor):
    return list(cursor)


def exec_sql(database, text):
    return rows_of(database.open().execute(text))
