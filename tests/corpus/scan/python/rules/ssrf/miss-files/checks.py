def clean(value):
    return "example.com/?q=" + str(len(value))
