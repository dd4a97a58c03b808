import { exec } from 'child_process';

export function run(task: { command: string }): void {
  exec(task.command); // sink: command-injection argv
}
