import { exec } from 'child_process';

export function run(command) {
  exec(command); // sink: command-injection argv
}
