from xml.sax.saxutils import escape


def clean(value):
    return escape(value)
