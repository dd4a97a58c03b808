import { execSync } from 'node:child_process';

export function shell(parts, ...values) {
  let line = parts[0];
  for (let i = 0; i < values.length; i++) line += values[i] + parts[i + 1];
  return execSync(line); // sink: command-injection argv
}
