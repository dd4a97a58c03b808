"""The log of the server."""

LOG = "server.log"


# Keeps what clients send, as they send it.
def write_file(text, path=LOG):
    with open(path, "a") as file:
        file.write(text)


def log(text):
    write_file(text)
