class Command:
    def __init__(self, text):
        self.text = text

    def __str__(self):
        return "ls " + self.text
