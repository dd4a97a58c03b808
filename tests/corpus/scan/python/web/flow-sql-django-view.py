from django.db import connection
from django.http import JsonResponse
from django.urls import path
from django.views import View


class UserView(View):
    def query(self, name):
        with connection.cursor() as cursor:
            cursor.execute("SELECT id FROM users WHERE name = '%s'" % name)  # sink: sql-injection a
            return cursor.fetchall()

    def get(self, request, *args, **kwargs):
        return JsonResponse({"rows": len(self.query(request.GET["name"]))})  # source: a


urlpatterns = [path("users", UserView.as_view())]
