import pickle


def handle(value):
    pickle.loads(value)  # sink: unsafe-deserialization a
