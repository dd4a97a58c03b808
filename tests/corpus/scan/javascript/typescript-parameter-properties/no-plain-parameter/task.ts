import { exec } from 'child_process';

export class Task {
  private command = 'ls';
  // The parameter is not a property.
  constructor(command: string) {
    if (command.length === 0) throw new Error('empty');
  }
  start(): void {
    exec(this.command); // ok: command-injection
  }
}
