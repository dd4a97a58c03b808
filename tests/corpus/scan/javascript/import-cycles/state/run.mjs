import { exec } from 'child_process';
import { state } from './state.mjs';

export function run() {
  exec(state.command); // sink: command-injection argv
}
