import { spawn } from 'node:child_process';

const DEFAULTS = { stdio: 'inherit', shell: true };

export function start(program, words) {
  return spawn(program, words, DEFAULTS); // sink: command-injection argv
}
