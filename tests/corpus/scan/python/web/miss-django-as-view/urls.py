from django.urls import path

from views import Shop

urlpatterns = [path("shops/<int:name>", Shop.as_view())]
