from django.urls import re_path

import views

urlpatterns = [re_path(r"^shops/(?P<name>[0-9]{4})/$", views.shop)]
