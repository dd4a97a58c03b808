from django.contrib.auth.models import User
from django.shortcuts import render


def find(name):
    return User.objects.raw(f"SELECT * FROM auth_user WHERE username = '{name}'")  # sink: sql-injection a


def users(request):
    return render(request, "users.html", {"users": find(request.POST["name"])})  # source: a
