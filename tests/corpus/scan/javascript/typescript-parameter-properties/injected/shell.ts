import { exec } from 'child_process';

export class Shell {
  run(command: string): void {
    exec(command); // sink: command-injection argv
  }
}
