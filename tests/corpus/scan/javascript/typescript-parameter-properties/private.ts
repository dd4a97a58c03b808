import { exec } from 'child_process';

class Task {
  constructor(private readonly command: string) {}
  start(): void {
    exec(this.command); // sink: command-injection argv
  }
}

new Task(process.argv[2]).start(); // source: argv
