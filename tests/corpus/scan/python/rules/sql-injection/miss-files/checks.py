def clean(value):
    return int(value)
