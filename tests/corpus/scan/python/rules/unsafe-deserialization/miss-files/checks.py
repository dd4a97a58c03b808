import json


def clean(value):
    return json.dumps({"size": len(value)}).encode()
