import { exec } from 'child_process';
import { begin } from './a.mjs';

export function step(command, count) {
  if (count < 0) begin(command);
  exec(command); // ok: command-injection
}
