from pymongo import MongoClient


def handle(value):
    MongoClient().shop.users.find_one({"name": value})  # sink: nosql-injection a
