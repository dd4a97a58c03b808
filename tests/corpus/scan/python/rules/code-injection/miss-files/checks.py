import ast


def clean(value):
    return ast.literal_eval(value)
