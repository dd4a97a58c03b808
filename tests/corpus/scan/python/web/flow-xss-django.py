from django.http import HttpResponse
from django.urls import path
from django.utils.safestring import mark_safe


def greet(name):
    return mark_safe("<b>%s</b>" % name)  # sink: xss a


def hello(request):
    return HttpResponse(greet(request.GET.get("name", "")))  # source: a  # sink: xss a


urlpatterns = [path("hello", hello)]
