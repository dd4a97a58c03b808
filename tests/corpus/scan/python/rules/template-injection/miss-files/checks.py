def clean(value):
    return value.replace("{", "")
