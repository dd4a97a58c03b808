def remember(response, value):
    response.set_cookie("id", value, httponly=True, secure=True)  # safe
