def run(shell, command):
    shell.start(command)
