from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import path
from django.utils.html import escape


def greet(name):
    return "<b>%s</b>" % escape(name)


def hello(request):
    name = request.GET.get("name", "")
    if "json" in request.GET:
        return JsonResponse({"name": name})
    if "page" in request.GET:
        return render(request, "hello.html", {"name": name})
    return HttpResponse(greet(name))  # safe


urlpatterns = [path("hello", hello)]
