NAMES = ["other", "third"]
