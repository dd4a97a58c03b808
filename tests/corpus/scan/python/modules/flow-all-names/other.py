def run(command):
    print(len(command))
