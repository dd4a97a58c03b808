from digests import finish
import hashlib


def sign(text):
    return finish(hashlib.sha1(), text)  # source: a


print(sign("a"))
