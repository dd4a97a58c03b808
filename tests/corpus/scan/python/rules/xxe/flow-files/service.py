from lxml import etree


def handle(value):
    etree.fromstring(value)  # sink: xxe a
