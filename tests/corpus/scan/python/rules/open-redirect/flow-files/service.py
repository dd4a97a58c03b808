from flask import redirect


def handle(value):
    return redirect(value)  # sink: open-redirect a
