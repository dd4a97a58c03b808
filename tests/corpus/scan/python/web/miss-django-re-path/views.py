from django.db import connection
from django.http import JsonResponse


def shop(request, name):
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM shops WHERE name = '%s'" % name)  # safe
    return JsonResponse({})
