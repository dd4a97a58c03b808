import runner


def handle(runner_object: "runner.Runner", command: str):
    runner_object.start(command)
