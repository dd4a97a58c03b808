import { exec } from 'child_process';

function traced(target: object, name: string): void {}

export class Shell {
  @traced
  size(text: string): number {
    return text.length;
  }
  @traced
  run(command: string): void {
    exec(command); // ok: command-injection
  }
}
