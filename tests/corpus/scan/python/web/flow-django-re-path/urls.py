from django.urls import re_path

import views

urlpatterns = [re_path(r"^shops/(?P<name>[^/]+)/$", views.shop)]  # source: a
