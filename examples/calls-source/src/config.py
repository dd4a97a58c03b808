"""Configuration of the server."""

def load_config(path):
    with open(path) as file:
        return dict(line.strip().split("=", 1) for line in file)
