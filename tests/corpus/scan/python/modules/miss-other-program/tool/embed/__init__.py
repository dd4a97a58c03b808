NAMES = ["other"]
