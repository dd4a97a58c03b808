from lxml import etree


def handle(value):
    etree.parse("a.xml").xpath("//user[@name='" + value + "']")  # sink: xpath-injection a
