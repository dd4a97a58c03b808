def clean(value):
    return value.replace("\n", "")
