import { exec } from 'node:child_process';
import settings, { flags } from './flags.mjs';

function run(text) {
  if (flags.debug) exec(text); // ok: command-injection
  if (settings.debug) exec(text); // ok: command-injection
}

run(process.argv[2]);
