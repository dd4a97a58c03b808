import logging


def handle(value):
    logging.warning("user " + value)  # sink: log-injection a
