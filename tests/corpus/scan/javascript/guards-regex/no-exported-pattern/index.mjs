import { execSync } from 'node:child_process';
import { PATTERNS } from './patterns.mjs';

function open(name) {
  if (!PATTERNS.name.test(name)) return;
  execSync(`xdg-open ${name}`); // ok: command-injection
}

open(process.argv[2]);
