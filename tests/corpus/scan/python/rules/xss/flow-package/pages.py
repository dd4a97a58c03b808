def greeting(name):
    return "<h1>Hello " + name + "</h1>"
