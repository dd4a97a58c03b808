from django.http import HttpResponse


class Page:
    def __init__(self):
        self.response = HttpResponse("ok")  # source: a

    def finish(self):
        self.response.set_cookie("id", "1")  # sink: insecure-cookie a
        return self.response


def index(request):
    return Page().finish()
