import { exec } from 'child_process';
import { named } from './named';

export class Shell {
  @named('run')
  run(command: string): void {
    exec(command); // sink: command-injection argv
  }
}
