import { exec } from 'child_process';

class Task {
  constructor(public name: string, public command = 'ls') {}
}

const task = new Task('x', process.argv[2]); // source: argv
exec(task.command); // sink: command-injection argv
