from shells import Shell

class Service:
    shell: Shell
    def work(self, command: str) -> None: ...
