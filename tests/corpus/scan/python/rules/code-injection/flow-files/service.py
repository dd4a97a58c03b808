

def handle(value):
    eval(value)  # sink: code-injection a
