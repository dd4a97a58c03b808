import { exec } from 'child_process';

export interface Task {
  command: string;
}
export function run(task: Task): void {
  exec(task.command); // sink: command-injection argv
}
