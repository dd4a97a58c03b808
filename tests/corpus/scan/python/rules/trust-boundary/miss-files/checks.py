def clean(value):
    return "reader" if value == "r" else "writer"
