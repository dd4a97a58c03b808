def run(command):
    print(command)
