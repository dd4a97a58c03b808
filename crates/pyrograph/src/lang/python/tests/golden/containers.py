def lists(x):
    items = ["a", x]
    items.append("b")
    first = items.pop(0)
    items += [first]
    return items[0], items[-1], items[1:]

def tables(x):
    table = {"a": x, **x}
    table["b"] = x["c"]
    return table.get("a", 1), x.get("d"), table["b"]

def comprehensions(xs):
    return [x for x in xs if x], {k: v for k, v in xs}, sum(x for x in xs)

def unpacking(x):
    a, (b, *c) = x
    a, b = b, a
    return a, b, c

def texts(x, y):
    return f"a {x} {y:d}", "%s %d" % (x, y), "{} {n}".format(x, n=y), "a" "b" + x
