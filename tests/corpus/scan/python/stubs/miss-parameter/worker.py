def work(shell, command):
    shell.start(command)
