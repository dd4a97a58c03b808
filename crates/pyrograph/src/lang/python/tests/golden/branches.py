import re

def guard(name):
    if name not in ("a", "b"):
        return None
    return name

def pattern(name):
    if re.match("[a-z]+$", name) and not name.startswith("x"):
        return name
    elif isinstance(name, int):
        return name
    return name if name == "c" else None

def check(name):
    assert name.isdigit()
    return name

def cases(value):
    match value:
        case "a" | "b":
            return value
        case [first, *rest]:
            return first, rest
        case {"k": v}:
            return v
        case other:
            return other
