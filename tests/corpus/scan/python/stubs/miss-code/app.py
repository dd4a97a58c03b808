def index():
    return "ok"
