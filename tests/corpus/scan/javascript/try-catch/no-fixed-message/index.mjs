import { execSync } from 'node:child_process';
import { load } from './load.mjs';

try {
  load(process.argv[2]);
} catch (error) {
  execSync(`notify-send "${error.message}"`); // ok: command-injection
}
