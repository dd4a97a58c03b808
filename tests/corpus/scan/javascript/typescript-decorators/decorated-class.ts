import { exec } from 'child_process';

function sealed(constructor: Function): void {
  Object.seal(constructor);
}

@sealed
class Task {
  constructor(public command: string) {}
}

exec(new Task(process.argv[2]).command); // source: argv // sink: command-injection argv
