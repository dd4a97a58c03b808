import requests


def handle(value):
    requests.get("http://" + value)  # sink: ssrf a
