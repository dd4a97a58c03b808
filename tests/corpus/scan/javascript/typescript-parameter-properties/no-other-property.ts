import { exec } from 'child_process';

class Task {
  constructor(public name: string, public command: string) {}
}

const task = new Task(process.argv[2], 'ls');
exec(task.command); // ok: command-injection
