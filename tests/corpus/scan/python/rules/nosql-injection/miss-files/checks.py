def clean(value):
    return str(value)
