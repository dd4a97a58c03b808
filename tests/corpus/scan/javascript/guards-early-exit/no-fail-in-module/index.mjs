import { execSync } from 'node:child_process';
import { fail } from './errors.mjs';

const name = process.argv[2];
if (!/^[a-z]+$/.test(name)) fail('name');
execSync(`ls ${name}`); // ok: command-injection
