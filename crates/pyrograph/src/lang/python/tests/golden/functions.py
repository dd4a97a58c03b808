def plain(a, b=1, *rest, c, d=[], **named):
    return a, rest, c, named

def positional(a, /, b):
    return plain(a, c=b, *b, **a)

add = lambda x, y=plain: x + y

def outer(x):
    def inner():
        nonlocal x
        x = 1
    inner()
    return x

def generator(items):
    for item in items:
        yield item
    yield from items

async def coroutine(x):
    return await x
