from django.urls import path

from views import Shop

urlpatterns = [path("shops/<str:name>", Shop.as_view())]  # source: a
