from django.db import connection
from django.views import View


class Shop(View):
    def get(self, request, name):
        with connection.cursor() as cursor:
            cursor.execute("SELECT * FROM shops WHERE name = '%s'" % name)  # safe
