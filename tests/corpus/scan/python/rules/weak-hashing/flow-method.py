import hashlib


class Signer:
    def __init__(self, algorithm):
        self.algorithm = algorithm

    def sign(self, text):
        return self.algorithm(text).digest()  # sink: weak-hashing a


print(Signer(hashlib.md5).sign(b"a"))
