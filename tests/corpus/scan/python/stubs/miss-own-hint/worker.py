from shells import Quiet


def work(shell: Quiet, command):
    shell.start(command)
