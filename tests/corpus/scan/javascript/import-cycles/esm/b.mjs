import { exec } from 'child_process';
import { begin } from './a.mjs';

export function step(text, count) {
  if (count > 2) begin(text);
  else exec(text); // sink: command-injection argv
}
