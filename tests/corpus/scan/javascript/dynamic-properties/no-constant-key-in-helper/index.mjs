import { execSync } from 'node:child_process';
import { KEYS, read } from './store.mjs';

const store = { [KEYS.user]: process.argv[2], [KEYS.tool]: 'git' };

execSync(`${read(store)} status`); // ok: command-injection
