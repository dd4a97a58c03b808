def loops(xs):
    total = ""
    for x in xs:
        if x == "a":
            continue
        if x == "b":
            break
        total += x
    else:
        total = "c"
    while total:
        total = total[1:]
    return total

def protect(x):
    try:
        y = int(x)
    except ValueError as error:
        raise TypeError(x) from error
    else:
        y = 1
    finally:
        print(y)
    with open(x) as file:
        return file.read()

def deletes(x):
    del x["a"], x.b
    return getattr(x, "c", None), setattr(x, "d", 1)
