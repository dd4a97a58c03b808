import { execSync } from 'node:child_process';
import { keyOf } from './key.mjs';

const key = keyOf({ name: process.argv[2], version: 3 });
execSync(`redis-cli get cache:${key}`); // ok: command-injection
