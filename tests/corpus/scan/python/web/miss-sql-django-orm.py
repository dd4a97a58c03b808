from django.contrib.auth.models import User
from django.shortcuts import render


def find(name):
    return User.objects.filter(username=name)  # safe


def users(request):
    return render(request, "users.html", {"users": find(request.POST["name"])})
